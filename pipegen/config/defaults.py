"""The defaults of a pipeline, and those that a stage inherits."""

from __future__ import annotations

from collections.abc import Sequence as Items

from pipegen.config.keys import STAGE_KEYS
from pipegen.config.model import RETENTION_OF_REPORTS, has_report_files
from pipegen.source.tree import Entry, Mapping, Sequence, is_null, is_true
from pipegen.structs import Struct, field

# Keys that apply to scripts, not to PipelineLib's steps: stages without a script do not inherit them.
KEYS_FOR_SCRIPTS = frozenset(key.name for key in STAGE_KEYS if key.is_for_scripts)
# Those that apply to steps of Jenkins, too.
KEYS_FOR_STEPS = frozenset({"fetch", "env", "cases", "secrets"})


class Defaults(Struct):
    """The *layers* of the defaults, templates first, and their *parts* without some keys, perhaps for reports only."""

    layers: tuple[Mapping, ...]
    parts: dict[tuple[frozenset[str], bool], tuple[Mapping, ...]] = field(default_factory=dict)

    def inherited_by(self, stage: Items[Mapping]) -> tuple[Mapping, ...]:
        """Return the layers that a stage inherits; *stage* are its own layers.

        A stage that calls another pipeline inherits none: it runs nothing itself that they could apply to. An optional
        stage inherits no `allow_failure`: its failure never counts. Of artifacts without paths, a stage without any
        inherits only what applies to its reports.
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
        is_without_paths = not any(_has(layer, "artifacts") for layer in stage) and not any(map(_has_paths, every))
        for_reports = is_without_paths and any(map(_has_reports, every))
        if is_without_paths and not for_reports:
            keys |= {"artifacts"}
        return self._without(keys, for_reports=for_reports) if keys or for_reports else self.layers

    def _without(self, keys: frozenset[str], *, for_reports: bool) -> tuple[Mapping, ...]:
        """Return the layers without *keys*: the same ones for all stages, whose merged layers are shared."""
        if (keys, for_reports) not in self.parts:
            parts = (_of_reports(layer) if for_reports else layer for layer in self.layers)
            self.parts[keys, for_reports] = tuple(_rest(part, keys) for part in parts)
        return self.parts[keys, for_reports]


def _rest(layer: Mapping, keys: frozenset[str]) -> Mapping:
    """Return *layer* without *keys*; the same one if it has none, as a template counts only once."""
    entries = tuple(entry for entry in layer.entries if entry.key.text not in keys)
    return layer if len(entries) == len(layer.entries) else Mapping(entries, layer.span)


def _of_reports(layer: Mapping) -> Mapping:
    """Return *layer* with only those keys of artifacts that apply to reports, too; the same one without artifacts."""
    artifacts = layer.entry("artifacts")
    if artifacts is None or not isinstance(artifacts.value, Mapping):
        return layer
    kept = tuple(entry for entry in artifacts.value.entries if entry.key.text in RETENTION_OF_REPORTS)
    own = (Entry(artifacts.key, Mapping(kept, artifacts.value.span)),) if kept else ()
    return Mapping((*(entry for entry in layer.entries if entry is not artifacts), *own), layer.span)


def _is_optional(layer: Mapping) -> bool:
    approval = layer.get("approve")
    return isinstance(approval, Mapping) and approval.get("when") is None and is_true(approval.get("optional"))


def _has_paths(layer: Mapping) -> bool:
    artifacts = layer.get("artifacts")
    return isinstance(artifacts, Sequence) or (isinstance(artifacts, Mapping) and _has(artifacts, "paths"))


def _has_reports(layer: Mapping) -> bool:
    reports = layer.get("reports")
    return reports is not None and has_report_files(reports)


def _has(layer: Mapping, key: str) -> bool:
    return not is_null(layer.get(key))
