"""The defaults of a pipeline, and those that a stage inherits."""

from __future__ import annotations

from collections.abc import Sequence as Items

from pipegen.config.keys import STAGE_KEYS
from pipegen.config.merge import is_null
from pipegen.config.model import has_report_files
from pipegen.source.tree import Mapping, Sequence, is_true
from pipegen.structs import Struct, field

# Keys that apply to scripts, not to PipelineLib's steps: stages without a script do not inherit them.
KEYS_FOR_SCRIPTS = frozenset(key.name for key in STAGE_KEYS if key.is_for_scripts)
# Those that apply to steps of Jenkins, too.
KEYS_FOR_STEPS = frozenset({"fetch", "env", "cases", "secrets"})


class Defaults(Struct):
    """The *layers* of the defaults, templates first, and their *parts* without some keys."""

    layers: tuple[Mapping, ...]
    parts: dict[frozenset[str], tuple[Mapping, ...]] = field(default_factory=dict)

    def inherited_by(self, stage: Items[Mapping]) -> tuple[Mapping, ...]:
        """Return the layers that a stage inherits; *stage* are its own layers.

        A stage that calls another pipeline inherits none: it runs nothing itself that they could apply to. An optional
        stage inherits no `allow_failure`: its failure never counts. A stage without artifacts inherits none that say
        only how to retain them.
        """
        if any(_has(layer, "pipeline") for layer in stage):
            return ()
        every = (*self.layers, *stage)
        keys: frozenset[str] = frozenset()
        if not any(_has(layer, "script") for layer in every):
            has_steps = any(_has(layer, "steps") for layer in every)
            keys = KEYS_FOR_SCRIPTS - KEYS_FOR_STEPS if has_steps else KEYS_FOR_SCRIPTS
        if any(_is_optional(layer) for layer in every):
            keys |= {"allow_failure"}
        if not any(_has(layer, "artifacts") for layer in stage) and not any(_has_files(layer) for layer in every):
            keys |= {"artifacts"}
        return self._without(keys) if keys else self.layers

    def _without(self, keys: frozenset[str]) -> tuple[Mapping, ...]:
        """Return the layers without *keys*: the same ones for all stages, whose merged layers are shared."""
        if keys not in self.parts:
            self.parts[keys] = tuple(_rest(layer, keys) for layer in self.layers)
        return self.parts[keys]


def _rest(layer: Mapping, keys: frozenset[str]) -> Mapping:
    """Return *layer* without *keys*; the same one if it has none, as a template counts only once."""
    entries = tuple(entry for entry in layer.entries if entry.key.text not in keys)
    return layer if len(entries) == len(layer.entries) else Mapping(entries, layer.span)


def _is_optional(layer: Mapping) -> bool:
    approval = layer.get("approve")
    return isinstance(approval, Mapping) and approval.get("when") is None and is_true(approval.get("optional"))


def _has_files(layer: Mapping) -> bool:
    """Return whether *layer* has the paths of artifacts, or reports with files."""
    artifacts, reports = layer.get("artifacts"), layer.get("reports")
    has_paths = isinstance(artifacts, Sequence) or (isinstance(artifacts, Mapping) and _has(artifacts, "paths"))
    return has_paths or (reports is not None and has_report_files(reports))


def _has(layer: Mapping, key: str) -> bool:
    node = layer.get(key)
    return node is not None and not is_null(node)
