"""Earlier versions of a config, from git."""
