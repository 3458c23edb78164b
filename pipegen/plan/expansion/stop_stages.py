"""The stage that stops the environment of another stage."""

from __future__ import annotations

from pipegen.config.model import StageConfig
from pipegen.source.text import Located
from pipegen.source.tree import Entry, Mapping, Scalar, child, located_text
from pipegen.structs import replace


def stop_of(stage: StageConfig) -> Located[str] | None:
    """Return the name of the stage that stops the environment of *stage*, or None."""
    node = stage.environment.node if stage.environment is not None else None
    return located_text(child(node, "on_stop"))


def renamed_stop(stage: StageConfig, name: str) -> StageConfig:
    """Return *stage* with the stage *name* as the one that stops its environment."""
    value = stage.environment
    if value is None or not isinstance(value.node, Mapping):
        return stage
    entries = tuple(_renamed(entry, name) for entry in value.node.entries)
    return replace(stage, environment=replace(value, node=replace(value.node, entries=entries)))


def _renamed(entry: Entry, name: str) -> Entry:
    if entry.key.text != "on_stop" or not isinstance(entry.value, Scalar):
        return entry
    return replace(entry, value=replace(entry.value, text=name))
