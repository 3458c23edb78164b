"""The back ends: one package for each engine."""
