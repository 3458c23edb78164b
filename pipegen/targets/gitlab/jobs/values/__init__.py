"""The values that jobs read: variables of GitLab, texts that it expands, and results of stages."""
