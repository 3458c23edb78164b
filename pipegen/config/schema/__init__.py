"""Validation of configs against their JSON Schema, with messages for people."""
