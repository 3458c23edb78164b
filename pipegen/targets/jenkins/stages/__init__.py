"""The steps of each stage."""
