"""The import of pipelines of other engines: their files to a config."""
