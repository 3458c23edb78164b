"""The runs of a pipeline: schedules, parameters, selection."""
