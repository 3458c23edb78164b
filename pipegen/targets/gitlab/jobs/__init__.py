"""The jobs of a pipeline, and the keys of each."""
