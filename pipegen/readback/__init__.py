"""Reconstruction of the order that a generated file enforces, from its text alone."""
