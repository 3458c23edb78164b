"""Constructs that a config cannot express."""


class UntranslatableError(ValueError):
    """A value that a config cannot express, with the reason."""
