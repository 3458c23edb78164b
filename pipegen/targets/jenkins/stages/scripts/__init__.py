"""The script of a stage, and the values it reads."""
