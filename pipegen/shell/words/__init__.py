"""Texts of the user as words of sh, and the layout of commands."""
