"""Includes with rules."""
