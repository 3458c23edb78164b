"""The two clocks: one that waits, and one that jumps."""
