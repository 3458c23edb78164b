"""The model of what the user wrote: read, schema, parse, resolve."""
