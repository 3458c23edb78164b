"""Artifacts, caches and reports of stages."""
