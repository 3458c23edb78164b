"""What GitLab refuses in a pipeline."""
