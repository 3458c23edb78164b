"""Capabilities of targets: one entry for every key of the language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipegen.assets import folder
from pipegen.targets import registry
from pipegen.targets.base import incompatible

SCHEMA = json.loads((folder("schemas") / "pipelines.schema.json").read_text(encoding="utf-8"))
# Keys that no target reads: the structure of a config, and keys that are resolved earlier.
WITHOUT_ROW = {
    *("pipelines", "targets", "stages", "name", "description", "blubberfile"),
    *("templates", "include", "defaults", "extends"),
}
DIAGNOSTICS = Path(__file__).parents[1] / "diagnostics"
SUPPORTS = {"native", "emulated", "refused"}


def keys() -> list[str]:
    """Return the keys of a file, of pipelines and of stages, in the order of the schema."""
    schemas = (SCHEMA, SCHEMA["$defs"]["pipeline"], SCHEMA["$defs"]["stage"])
    return list(dict.fromkeys(key for schema in schemas for key in schema["properties"] if key not in WITHOUT_ROW))


@pytest.mark.parametrize("name", ["gitlab", "jenkins"])
def test_each_key_has_a_row(name: str) -> None:
    """Users need not experiment with any key."""
    table = registry.load(name).CAPABILITIES
    words = {word for row in table for word in row.feature.replace(":", "").split(", ")}

    assert [key for key in keys() if key not in words] == [], f"add rows to targets/{name}/capabilities.py"
    assert {row.support for row in table} <= SUPPORTS
    assert len({row.feature for row in table}) == len(table)


@pytest.mark.parametrize("name", ["gitlab", "jenkins"])
def test_incompatible_pairs_have_a_workaround(name: str) -> None:
    """Each pair is listed once."""
    pairs = incompatible(registry.load(name))

    assert len({(pair.first, pair.second) for pair in pairs}) == len(pairs) > 0
    assert all(pair.note for pair in pairs)
    for pair in pairs:
        shown = DIAGNOSTICS.glob(f"{pair.code.number}-*/pipeline.yml")
        assert any(path.read_text(encoding="utf-8").startswith(f"# target: {name}") for path in shown), pair
