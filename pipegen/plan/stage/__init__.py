"""The keys of one stage, each read to its part of the plan."""
