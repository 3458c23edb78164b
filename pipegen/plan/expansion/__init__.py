"""Stages multiplied by a matrix, and stages of called pipelines."""
