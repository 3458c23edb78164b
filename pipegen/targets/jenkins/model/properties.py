"""Properties of the whole job."""

from __future__ import annotations

import re
from enum import Enum

from pipegen.source.text import Span
from pipegen.structs import Struct


class PropertyKind(Enum):
    """The position of a property: in `options` or `triggers` of `pipeline {}`, in a scripted file as below."""

    # An entry of `properties([…])`.
    SETTING = "setting"
    # An entry of `pipelineTriggers([…])` in it.
    TRIGGER = "trigger"
    # A block step around all stages.
    AROUND = "around"


class Property(Struct):
    """One complete call in Groovy, such as `disableConcurrentBuilds()`; a block step lacks only its block.

    *plugin* is the plugin that it needs beyond Pipeline, "" for none; *span* is its location in the config, None if
    pipegen adds it.
    """

    kind: PropertyKind
    text: str
    plugin: str = ""
    span: Span | None = None

    @property
    def name(self) -> str:
        """The name of the called step, by which Jenkins identifies options."""
        return step_name(self.text)


def step_name(call: str) -> str:
    """Return the name of the step in *call*, which may lack its brackets."""
    return re.split(r"[ \t({]", call.strip(), maxsplit=1)[0]
