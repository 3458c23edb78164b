"""The conditions of a stage, and the variables that depend on conditions."""
