"""The keys of a job as keys of a stage: one module for each group of keys."""
