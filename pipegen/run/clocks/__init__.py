"""The real and the virtual clock."""
