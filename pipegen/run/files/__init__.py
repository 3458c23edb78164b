"""Files of runs: artifacts, private folders, access without following links."""
