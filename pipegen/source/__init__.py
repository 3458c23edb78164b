"""Source files, spans, and the tree of values with spans."""
