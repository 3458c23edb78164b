"""The defaults of a pipeline, and those that a stage inherits."""

from __future__ import annotations

from collections.abc import Sequence as Items

from pipegen.config.keys import STAGE_KEYS
from pipegen.config.merge import is_null
from pipegen.source.tree import Mapping
from pipegen.structs import Struct

# Keys that apply to scripts, not to PipelineLib's steps.
_FOR_SCRIPTS = frozenset(key.name for key in STAGE_KEYS if key.is_for_scripts)


class Defaults(Struct):
    """The *layers* of the defaults, templates first, and their parts for stages without a script."""

    layers: tuple[Mapping, ...]
    without_script: tuple[Mapping, ...]

    @classmethod
    def of(cls, layers: Items[Mapping]) -> Defaults:
        """Return the defaults with these *layers*."""
        return cls(tuple(layers), tuple(_without_script(layer) for layer in layers))

    def inherited_by(self, stage: Items[Mapping]) -> tuple[Mapping, ...]:
        """Return the layers that a stage inherits; *stage* are its own layers.

        A stage that calls another pipeline inherits none: it runs nothing itself that they could apply to.
        """
        if any(_has(layer, "pipeline") for layer in stage):
            return ()
        return self.layers if any(_has(layer, "script") for layer in (*self.layers, *stage)) else self.without_script


def _without_script(layer: Mapping) -> Mapping:
    return Mapping(tuple(entry for entry in layer.entries if entry.key.text not in _FOR_SCRIPTS), layer.span)


def _has(layer: Mapping, key: str) -> bool:
    node = layer.get(key)
    return node is not None and not is_null(node)
