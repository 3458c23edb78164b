"""`pipegen schema`: the JSON Schema of configs."""

import typer

from pipegen.assets import folder


def schema() -> None:
    """Print the JSON Schema of a config, for editors."""
    typer.echo((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"), nl=False)
