"""Graphs of named nodes: order, ancestors, frames, cycles, blocks and drawings, independent of the meaning of names."""
