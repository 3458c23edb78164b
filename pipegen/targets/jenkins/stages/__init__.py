"""What each stage does on its agent, in steps of Jenkins."""
