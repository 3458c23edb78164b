"""Where tries run: on this machine, in containers, on paper."""
