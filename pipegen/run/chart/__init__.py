"""A run as a chart, in text and as a picture, and its figures."""
