"""A compiler for CI/CD pipelines: one config, checked before anything runs, to what each engine reads."""
