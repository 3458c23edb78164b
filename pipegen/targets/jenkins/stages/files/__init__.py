"""Files that a stage hands to other stages, later builds and people."""
