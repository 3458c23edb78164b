"""Plugins of the scheduler: each is a function from the session to votes."""
