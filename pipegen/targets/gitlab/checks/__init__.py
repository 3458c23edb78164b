"""Checks of what GitLab supports, how large a file may be, and which version it needs."""
