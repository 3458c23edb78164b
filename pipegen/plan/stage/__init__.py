"""The keys of one stage, each converted to its part of the plan."""
