"""Generated files: writes and compares them, and finds and regenerates those of a repository."""
