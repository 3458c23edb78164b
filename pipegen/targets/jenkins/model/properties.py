"""What is set for the whole job."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class PropertyKind(Enum):
    """Where a property stands: in `options` or `triggers` of `pipeline {}`, in a script as the members say."""

    # An entry of `properties([…])`.
    SETTING = "setting"
    # An entry of `pipelineTriggers([…])` in it.
    TRIGGER = "trigger"
    # A block step around all stages.
    AROUND = "around"


@dataclass(frozen=True, slots=True)
class Property:
    """One call in Groovy, complete, such as `disableConcurrentBuilds()`; a block step lacks only its block.

    *plugin* is what it needs beyond Pipeline, "" for nothing.
    """

    kind: PropertyKind
    text: str
    plugin: str = ""
