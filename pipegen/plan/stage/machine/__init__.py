"""The machine that a stage runs on."""
