"""Results of earlier runs, and the conditions for their reuse: BuildKit's keys without its live merging."""
