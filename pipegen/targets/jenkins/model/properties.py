"""What is set for the whole job."""

from __future__ import annotations

from enum import Enum

from pipegen.source.text import Span
from pipegen.structs import Struct


class PropertyKind(Enum):
    """Where a property stands: in `options` or `triggers` of `pipeline {}`, in a script as the members say."""

    # An entry of `properties([…])`.
    SETTING = "setting"
    # An entry of `pipelineTriggers([…])` in it.
    TRIGGER = "trigger"
    # A block step around all stages.
    AROUND = "around"


class Property(Struct):
    """One call in Groovy, complete, such as `disableConcurrentBuilds()`; a block step lacks only its block.

    *plugin* is what it needs beyond Pipeline, "" for nothing; *span* is where the user writes it, None for what
    pipegen adds.
    """

    kind: PropertyKind
    text: str
    plugin: str = ""
    span: Span | None = None

    @property
    def name(self) -> str:
        """The name of what is called, which is what Jenkins knows options by."""
        return step_name(self.text)


def step_name(call: str) -> str:
    """Return the name of the step in *call*, which may lack its brackets."""
    return call.partition("(")[0].strip()
