"""What is unknown in a config that has errors, and what holds all the same."""
