"""Pictures of pipelines as one SVG, and as a self-contained HTML page."""
