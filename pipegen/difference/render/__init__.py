"""A difference as text, as markdown, as JSON."""
