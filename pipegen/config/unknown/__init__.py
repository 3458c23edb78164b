"""The unknown parts of a config with errors, and the checks of the other parts."""
