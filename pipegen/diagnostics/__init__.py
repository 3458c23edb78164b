"""Codes, messages, and how they are shown."""
