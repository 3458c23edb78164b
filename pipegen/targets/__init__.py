"""What the plan becomes: one package for each engine."""
