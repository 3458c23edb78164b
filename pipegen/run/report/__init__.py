"""Reports on a run: during the run, at its end, and in files."""
