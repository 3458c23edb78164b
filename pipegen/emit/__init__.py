"""Writers of the engines' languages: YAML, Groovy strings, and templates."""
