"""Positions of the nodes and arcs of a graph in a picture, from left to right.

Based on Sugiyama's method: nodes are in columns, arcs that pass a column bend there, each column is sorted to minimize
crossings, and then everything moves as close to its neighbours as its column allows. The same graph always has the same
picture.

No library is used, because none was better on pipelines of 30 to 1,000 stages: docs/pictures.md has the figures.
"""
