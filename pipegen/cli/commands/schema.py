"""`pipegen schema`: the JSON Schema of configs."""

from pipegen.assets import folder
from pipegen.cli.streams import show_data


def schema() -> None:
    """Print the JSON Schema of a config, for editors."""
    show_data((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"), ends_line=False)
