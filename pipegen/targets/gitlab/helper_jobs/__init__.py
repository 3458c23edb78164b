"""Jobs that GitLab needs in addition to those of the stages."""
