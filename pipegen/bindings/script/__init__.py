"""Parses the shell scripts of stages as far as their references need."""
