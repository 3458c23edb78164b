"""The files of a config: found, loaded, included, and united to one tree."""
