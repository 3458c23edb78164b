"""What a cycle does, in turn: admit gangs, place their members, fill in those that take nothing."""
