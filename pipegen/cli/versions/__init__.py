"""Versions of a config in git."""
