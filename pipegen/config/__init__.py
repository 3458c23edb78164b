"""The user's config: reading, schema, parsing, and resolving templates and defaults."""
