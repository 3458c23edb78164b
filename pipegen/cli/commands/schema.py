"""`pipegen schema`: prints the JSON Schema of configs."""

import json

import click

from pipegen import assets
from pipegen.cli.terminal.streams import show_data
from pipegen.targets import registry

# Keys of a whole document that a subschema omits.
_OF_DOCUMENTS = ("$schema", "title")


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of a config, for editors."""
    show_data(schema_text(), ends_line=False)


def schema_text() -> str:
    """Return the JSON Schema of a config with the settings of built-in targets; those of others are not restricted."""
    schema_data = assets.schema("pipelines")
    settings = {name: dict(registry.load(name).SETTINGS) for name in registry.BUILT_IN}
    schema_data["properties"]["targets"]["properties"] = {
        name: {key: value for key, value in target_schema.items() if key not in _OF_DOCUMENTS}
        for name, target_schema in settings.items()
    }
    return json.dumps(schema_data, indent=2, ensure_ascii=False) + "\n"
