"""The defaults of a pipeline, and those that a stage inherits."""

from __future__ import annotations

from collections.abc import Sequence as Items

from pipegen.config.keys import STAGE_KEYS
from pipegen.config.merge import is_null
from pipegen.source.tree import Mapping, is_true
from pipegen.structs import Struct

# Keys that apply to scripts, not to PipelineLib's steps: stages without a script do not inherit them.
KEYS_FOR_SCRIPTS = frozenset(key.name for key in STAGE_KEYS if key.is_for_scripts)
# Those that apply to steps of Jenkins, too.
KEYS_FOR_STEPS = frozenset({"fetch", "env", "cases", "secrets"})


class Defaults(Struct):
    """The *layers* of the defaults, templates first, and their parts for stages without a script or with steps only."""

    layers: tuple[Mapping, ...]
    without_script: tuple[Mapping, ...]
    with_steps: tuple[Mapping, ...]

    @classmethod
    def of(cls, layers: Items[Mapping]) -> Defaults:
        """Return the defaults with these *layers*."""
        return cls(
            tuple(layers),
            without_script=tuple(_without(layer, KEYS_FOR_SCRIPTS) for layer in layers),
            with_steps=tuple(_without(layer, KEYS_FOR_SCRIPTS - KEYS_FOR_STEPS) for layer in layers),
        )

    def inherited_by(self, stage: Items[Mapping]) -> tuple[Mapping, ...]:
        """Return the layers that a stage inherits; *stage* are its own layers.

        A stage that calls another pipeline inherits none: it runs nothing itself that they could apply to. An optional
        stage inherits no `allow_failure`: its failure never counts.
        """
        if any(_has(layer, "pipeline") for layer in stage):
            return ()
        every = (*self.layers, *stage)
        steps_layers = self.with_steps if any(_has(layer, "steps") for layer in every) else self.without_script
        layers = self.layers if any(_has(layer, "script") for layer in every) else steps_layers
        if any(_is_optional(layer) for layer in every):
            return tuple(_without(layer, frozenset({"allow_failure"})) for layer in layers)
        return layers


def _without(layer: Mapping, keys: frozenset[str]) -> Mapping:
    return Mapping(tuple(entry for entry in layer.entries if entry.key.text not in keys), layer.span)


def _is_optional(layer: Mapping) -> bool:
    approval = layer.get("approve")
    return isinstance(approval, Mapping) and approval.get("when") is None and is_true(approval.get("optional"))


def _has(layer: Mapping, key: str) -> bool:
    node = layer.get(key)
    return node is not None and not is_null(node)
