"""Runs on paper: machines, durations, and the orders of engines."""
