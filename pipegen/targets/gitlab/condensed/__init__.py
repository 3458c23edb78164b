"""A file in its shortest form: what several jobs share is written once, and what GitLab does anyway is left out."""
