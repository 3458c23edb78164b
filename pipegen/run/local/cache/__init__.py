"""Results of earlier runs, and when one of them may stand for a new one: BuildKit's keys without its live merging."""
