"""Expressions, what each step binds, and who may read it."""
