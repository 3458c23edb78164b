"""Reports of differences, one module for each format."""
