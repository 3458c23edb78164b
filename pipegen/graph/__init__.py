"""Names in order: arcs, ancestors, frames, cycles, blocks and drawings; nothing here knows what a name stands for."""
