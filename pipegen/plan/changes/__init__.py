"""What of a config a change of files concerns."""
