"""Stages as they are written to stages that run: the legs of a matrix, the stages of another pipeline."""
