"""Executors of local runs: processes, containers, and results of the cache."""
