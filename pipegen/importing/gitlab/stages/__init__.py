"""The jobs of a pipeline as stages of a config."""
