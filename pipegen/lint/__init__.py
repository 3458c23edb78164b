"""Rules over the plan: what compiles, and is likely not what was meant."""
