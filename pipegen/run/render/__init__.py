"""A run on paper, shown: as text, as a picture, as data."""
