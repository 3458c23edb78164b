"""Pictures of configs, files and runs, for the verbs that draw."""
