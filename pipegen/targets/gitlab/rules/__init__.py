"""When pipelines and jobs run: `rules`, `workflow`, and the expressions in them."""
