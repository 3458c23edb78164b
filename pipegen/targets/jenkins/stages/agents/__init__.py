"""Where a stage runs: its agent, its container, its services and tools."""
