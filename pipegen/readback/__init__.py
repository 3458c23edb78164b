"""The order that a generated file enforces, read from the file alone."""
