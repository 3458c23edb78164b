"""Replacement of `${matrix.axis}` by the combination's value in keys that contain plain words."""

from __future__ import annotations

import re
from operator import attrgetter

from pipegen.bindings.combinations import axis_value
from pipegen.config.model import CombinationOf, StageConfig, StepValue
from pipegen.diagnostics.report import Report
from pipegen.source.text import Located
from pipegen.source.tree import Mapping, Node, Scalar, Sequence, items_of
from pipegen.structs import replace

_AXIS = r"(?P<escape>\$?)\$\{matrix\.(?P<name>[A-Za-z0-9_-]+)(?:\|(?P<default>[^}]*))?\}"

_WHOLE_AXIS = re.compile(r"\$\{matrix\.([A-Za-z0-9_-]+)\}")

# The keys in whose plain words it is replaced, and the keys below them that are left out: those of references, scripts
# and names of stages, in which bindings replace it.
_KEYS_WITH_AXES = {
    "agent": (),
    "approve": (),
    "artifacts": ("name",),
    "cache": ("key", "prefix", "fallback"),
    "environment": ("name", "url", "on_stop", "namespace"),
    "image": ("name",),
    "lock": (),
    "reports": (),
    "reuse": (),
    "secrets": (),
    "services": ("image", "ready"),
    "tools": (),
    "when": (),
}
_VALUES_WITH_AXES = attrgetter(*_KEYS_WITH_AXES)


def with_axis_values(stage: StageConfig, report: Report) -> StageConfig:
    """Return *stage* with its combination's values in plain words; unknown axes are reported.

    A variable in `env` that is only the value of an axis is not set in combinations without the axis.
    """
    changed: dict[str, StepValue] = {}
    if stage.env is not None and stage.combination is not None and isinstance(stage.env.node, Mapping):
        entries = stage.env.node.entries
        own = tuple(entry for entry in entries if not _is_missing(entry.value, stage.combination))
        if len(own) < len(entries):
            changed["env"] = replace(stage.env, node=replace(stage.env.node, entries=own))
    if stage.cases is not None:
        items = items_of(stage.cases.node)
        cases = tuple(_with_axis_values_in_when(item, stage, report) for item in items)
        if not _same(cases, items):
            changed["cases"] = replace(stage.cases, node=replace(stage.cases.node, items=cases))
    values: tuple[StepValue | None, ...] = _VALUES_WITH_AXES(stage)
    for (key, skipped), value in zip(_KEYS_WITH_AXES.items(), values, strict=True):
        if value is None or (isinstance(value.node, Scalar) and key in _TEXTS):
            continue
        is_of_texts = key in _LISTS_OF_TEXTS
        node = _replaced(value.node, skipped, stage, report, is_of_texts=is_of_texts)
        if node is not value.node:
            changed[key] = replace(value, node=node)
    directory = stage.directory
    if directory is not None and (text := _text(directory, stage, report)) != directory.value:
        stage = replace(stage, directory=replace(directory, value=text))
    return replace(stage, **changed) if changed else stage


def _with_axis_values_in_when(case: Node, stage: StageConfig, report: Report) -> Node:
    """Return *case* with the values of axes in its condition; its variables contain references."""
    if not isinstance(case, Mapping):
        return case
    values = tuple(
        _replaced(entry.value, (), stage, report) if entry.key.text == "when" else entry.value for entry in case.entries
    )
    entries = zip(case.entries, values, strict=True)
    return replace(case, entries=tuple(replace(entry, value=value) for entry, value in entries))


def _is_missing(value: Node, combination: CombinationOf) -> bool:
    """Return whether *value* is that of an axis that *combination* does not have, but others do."""
    match = _WHOLE_AXIS.fullmatch(value.text) if isinstance(value, Scalar) else None
    return match is not None and match[1] in combination.axes and match[1] not in dict(combination.values)


# Keys whose short form contains references, and keys of lists whose items do.
_TEXTS = ("environment", "image")
_LISTS_OF_TEXTS = ("services",)


def _replaced(
    node: Node, skipped: tuple[str, ...], stage: StageConfig, report: Report, *, is_of_texts: bool = False
) -> Node:
    """Return *node* with values replaced, or *node* itself if nothing changes.

    Values under keys in *skipped* are not changed, nor are the items of a list that *is_of_texts*.
    """
    match node:
        case Scalar():
            text = _text(node.located(), stage, report)
            return node if text == node.text else replace(node, text=text)
        case Sequence():
            items = tuple(
                item if is_of_texts and isinstance(item, Scalar) else _replaced(item, skipped, stage, report)
                for item in node.items
            )
            return node if _same(items, node.items) else replace(node, items=items)
        case Mapping():
            values = tuple(
                entry.value
                if entry.key.text in skipped and not isinstance(entry.value, Mapping)
                else _replaced(entry.value, skipped, stage, report)
                for entry in node.entries
            )
            if _same(values, tuple(entry.value for entry in node.entries)):
                return node
            entries = zip(node.entries, values, strict=True)
            return replace(node, entries=tuple(replace(entry, value=value) for entry, value in entries))


def _same(values: tuple[Node, ...], others: tuple[Node, ...]) -> bool:
    return all(value is other_ for value, other_ in zip(values, others, strict=True))


def _text(word: Located[str], stage: StageConfig, report: Report) -> str:
    if "${matrix." not in word.value:
        return word.value

    def value(match: re.Match[str]) -> str:
        if match["escape"]:
            return match[0][1:]
        # A placeholder, so that an unknown axis does not cause a diagnostic for empty text as well.
        axis = axis_value(match["name"], match["default"], stage, word.span, report)
        return axis if axis is not None else match["name"]

    return re.sub(_AXIS, value, word.value)
