"""Diagnostics: the model, the codes, the report, and renderers."""
