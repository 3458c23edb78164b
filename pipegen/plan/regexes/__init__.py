"""Regular expressions: the subset that all engines read alike."""
