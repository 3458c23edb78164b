"""Drawings of a graph, one module for each format; all are pure functions from a graph to text."""
