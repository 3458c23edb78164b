"""A compiler for CI/CD pipelines: checks one config and generates the files of each engine."""
