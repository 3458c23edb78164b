"""What is told of a run: while it goes on, at its end, and in files."""
