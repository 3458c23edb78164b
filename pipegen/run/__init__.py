"""Running plans without an engine."""
