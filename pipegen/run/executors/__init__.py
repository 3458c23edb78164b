"""Executors of attempts: on this machine, in containers, simulated."""
