"""The jobs of pipelines put into files: the main file, included files, child pipelines."""
