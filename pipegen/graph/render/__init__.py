"""Drawings of a graph, one module for each format."""
