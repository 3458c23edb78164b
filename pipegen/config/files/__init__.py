"""The files of a config: finding, loading, including, and merging them to one tree."""
