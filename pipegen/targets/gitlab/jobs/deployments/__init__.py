"""Environments of jobs, their approvals, and what jobs publish."""
