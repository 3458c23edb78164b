"""The defaults of a pipeline, and which of them a stage takes."""

from __future__ import annotations

from collections.abc import Sequence as Items

from pipegen.config.merge import is_null
from pipegen.source.tree import Mapping
from pipegen.structs import Struct

# Keys that say something of a script, and nothing of PipelineLib's steps.
_OF_SCRIPTS = ("env", "outputs", "shell", "after", "image", "services", "secrets")


class Defaults(Struct):
    """The *layers* of the defaults, templates first, and what of them is for stages without a script."""

    layers: tuple[Mapping, ...]
    without_script: tuple[Mapping, ...]

    @classmethod
    def of(cls, layers: Items[Mapping]) -> Defaults:
        """Return the defaults made of *layers*."""
        return cls(tuple(layers), tuple(_without_script(layer) for layer in layers))

    def taken(self, stage: Items[Mapping]) -> tuple[Mapping, ...]:
        """Return the layers that a stage takes which is made of the layers *stage* itself.

        One that runs another pipeline takes none: it runs nothing itself that they could be about.
        """
        if any(_has(layer, "pipeline") for layer in stage):
            return ()
        return self.layers if any(_has(layer, "script") for layer in (*self.layers, *stage)) else self.without_script


def _without_script(layer: Mapping) -> Mapping:
    return Mapping(tuple(entry for entry in layer.entries if entry.key.text not in _OF_SCRIPTS), layer.span)


def _has(layer: Mapping, key: str) -> bool:
    node = layer.get(key)
    return node is not None and not is_null(node)
