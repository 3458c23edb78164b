"""Versions of configs in git, and what has changed between them."""
