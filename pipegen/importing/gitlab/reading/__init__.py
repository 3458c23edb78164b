"""The files of a pipeline as jobs with their keys, rules and order."""
