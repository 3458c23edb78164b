"""Files, spans, and the YAML tree with places."""
