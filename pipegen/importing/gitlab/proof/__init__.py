"""The proof of an import: the runs of the config are compared with those of its source."""
