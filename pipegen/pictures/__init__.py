"""Pictures of pipelines, for people: as one SVG, and as a page that needs no other file."""
