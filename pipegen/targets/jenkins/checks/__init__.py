"""Checks of what Jenkins supports, and the plugins that a file needs."""
