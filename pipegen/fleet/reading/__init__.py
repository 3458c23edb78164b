"""The file of a fleet, from text to the model."""
