"""The YAML of a config: its tree, and its syntax errors."""
