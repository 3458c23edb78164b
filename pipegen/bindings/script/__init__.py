"""The shell scripts of stages: what they say, as far as references in them need it."""
