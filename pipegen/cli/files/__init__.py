"""Generated files and where they lie: written whole, compared, found in a repository, made anew."""
