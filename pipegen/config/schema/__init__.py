"""Configs against their JSON Schema: whether they fit, and in words for people why not."""
