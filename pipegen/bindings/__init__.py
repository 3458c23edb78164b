"""Expressions, the names that steps bind, and the scopes in which they can be read."""
