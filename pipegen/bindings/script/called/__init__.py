"""References in the texts of programs, which other programs read."""
