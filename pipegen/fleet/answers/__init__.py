"""What a simulation of a fleet answers, and how it is shown."""
