"""The result of a translation of keys, and the context of the job for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.emit.yaml import Data, Value
from pipegen.importing.gitlab.reading.durations import seconds_in
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.outputs import StageOutputs
from pipegen.importing.gitlab.reading.tree import LONGEST_NUMBER, text_of
from pipegen.importing.gitlab.stages.conditions import Names
from pipegen.importing.gitlab.stages.texts import JobTexts
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, entries_of, is_null
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Sequence as TreeSequence
from pipegen.structs import Struct

_NONE: Mapping[str, Data] = MappingProxyType({})
# Longer than any limit of GitLab.
_MOST_SECONDS = 1e12
_WEEK = 7 * 86400
_WORDS = (("week", _WEEK), ("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


class WithoutEffect(Struct):
    """A part of the source at *span*, *name* in words, that has no effect for a *reason*, and its keys, if any."""

    span: Span
    name: str
    reason: str
    entries: tuple[Entry, ...] = ()


class Translation(Struct):
    """Keys of a stage, keys that stay *raw* for a *reason*, and the *entries* of the source that these come from.

    *reasons* are those of single entries, by key, and *without_effect* are parts that GitLab ignores.
    """

    keys: Mapping[str, Data] = _NONE
    raw: Mapping[str, Data] = _NONE
    entries: tuple[Entry, ...] = ()
    reason: str = ""
    reasons: Mapping[str, str] = MappingProxyType({})
    without_effect: tuple[WithoutEffect, ...] = ()


class KeyContext(Struct, kw_only=True):
    """A job of the pipeline *source*, the values of its variables, and the keys that are *forced* to stay raw.

    *outputs* are those of the stage in place of a dotenv report.
    """

    job: SourceJob
    source: SourcePipeline
    texts: JobTexts
    names: Names
    outputs: StageOutputs
    forced: Mapping[str, str] = MappingProxyType({})


def as_map(value: Value) -> dict[str, Value]:
    """Return a copy of the map *value*; an empty one if it is not a map."""
    return dict(value) if isinstance(value, dict) else {}


def raw_data(node: Node) -> Data:
    """Return *node* as the data that GitLab reads."""
    match node:
        case Scalar():
            is_typed = node.kind in (ScalarKind.BOOLEAN, ScalarKind.INTEGER, ScalarKind.NULL)
            return node.value if is_typed and len(node.text) <= LONGEST_NUMBER else text_of(node)
        case TreeSequence():
            return [raw_data(item) for item in node.items]
        case TreeMapping():
            return {entry.key.text: raw_data(entry.value) for entry in node.entries}


def present(node: Node | None) -> dict[str, Entry]:
    """Return the entries of a map by key, without empty ones."""
    entries = entries_of(node)
    return {entry.key.text: entry for entry in entries if not is_null(entry.value)}


def duration(text: str) -> str:
    """Return the duration *text* in the units of a config; raise `UntranslatableError` if it is not one."""
    if text.strip().lower() == "never":
        return "never"
    seconds = seconds_in(text)
    if seconds is None or not 1 <= seconds < _MOST_SECONDS:
        raise UntranslatableError(f'the duration "{text}"')
    return in_words(round(seconds))


def in_words(seconds: int) -> str:
    """Return *seconds* in the largest units that fit: `2 weeks`, `30 days`, `1 hour 30 minutes`."""
    words = []
    for unit, size in _WORDS if seconds % _WEEK == 0 else _WORDS[1:]:
        number, seconds = divmod(seconds, size)
        if number:
            words.append(f"{number} {unit}{'s' if number > 1 else ''}")
    return " ".join(words)


def merged(first: dict[str, Data], second: Mapping[str, Data]) -> dict[str, Data]:
    """Return *first* with the keys of *second*; maps under the same key are joined, one level deep."""
    result = dict(first)
    for key, value in second.items():
        known = result.get(key)
        result[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    return result
