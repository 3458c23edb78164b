"""The differences in meaning between two versions of a config."""
