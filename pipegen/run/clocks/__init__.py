"""The clock of local runs, and scheduled calls."""
