"""Runs on this machine: what stages find there, and what is left of them."""
