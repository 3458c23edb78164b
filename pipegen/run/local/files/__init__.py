"""Files of local runs: workspaces, artifacts, the folder of a run."""
