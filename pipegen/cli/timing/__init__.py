"""Simulated scenarios: machines, durations, and the orders of engines."""
