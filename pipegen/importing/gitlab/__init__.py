"""The import of a `.gitlab-ci.yml`: files to jobs, and jobs to stages."""
