"""Text in the languages that engines read: YAML, Groovy, and templates around them."""
