"""A generated file to the order that it enforces, from its text alone."""
