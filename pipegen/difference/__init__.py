"""What changed in meaning between two versions of a config."""
