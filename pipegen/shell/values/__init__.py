"""Values that scripts read from other jobs, from the engine and from the person who starts a run."""
