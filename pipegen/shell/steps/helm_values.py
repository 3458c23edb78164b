"""The values for a chart: one document, and separate files for values known only at run time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.bindings.expression import Expression, Map, Text
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Word, constant
from pipegen.shell.words.text import word
from pipegen.structs import Struct

# The separators of keys and values in helm's `--set` syntax.
_SPECIAL = re.compile(r"[.,=\[\]{}\\]")


class HelmValue(Struct):
    """A value for the chart: its keys, and its text."""

    path: tuple[str, ...]
    word: Word


def helm_values(overrides: Map, defaults: Sequence[HelmValue], lowering: Lowering) -> tuple[Map, tuple[HelmValue, ...]]:
    """Return *overrides* merged over *defaults* as a document, and the run-time texts that it leaves out."""
    defaults_used = [value for value in defaults if not _defines(overrides, value.path)]
    run_time = [value for value in defaults_used if constant(value.word) is None]
    base = Map((), overrides.span)
    for value in defaults_used:
        text = constant(value.word)
        if text is not None:
            base = merged(base, _nested(value.path, Text((text,) if text else (), overrides.span)))
    constants, extracted = _extract_run_time(merged(base, overrides), (), lowering)
    return constants, (*run_time, *extracted)


def merged(base: Map, over: Map) -> Map:
    """Return *over* merged into *base*, key by key, with *over* winning."""
    entries = dict(base.entries)
    for key, value in over.entries:
        own = base.get(key.constant) if key.constant is not None else None
        entries[key] = merged(own, value) if isinstance(own, Map) and isinstance(value, Map) else value
    return Map(tuple(entries.items()), over.span)


def key_path(path: Sequence[str]) -> str:
    """Return the keys of *path* in helm's `--set` syntax."""
    return ".".join(_SPECIAL.sub(r"\\\g<0>", key) for key in path)


def value_files(values: Sequence[HelmValue]) -> tuple[str, ...]:
    """Return a unique, readable file name for each of *values*."""
    names: dict[str, None] = {}
    for value in values:
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", ".".join(value.path))
        names[name if name not in names else f"{name}-{len(names)}"] = None
    return tuple(names)


def _defines(overrides: Map, path: Sequence[str]) -> bool:
    """Return whether *overrides* has a value at *path*."""
    value: Expression | None = overrides
    for key in path:
        if not isinstance(value, Map):
            return value is not None
        value = value.get(key)
    return value is not None


def _nested(path: Sequence[str], value: Expression) -> Map:
    for key in reversed(path):
        value = Map(((Text((key,), value.span), value),), value.span)
    if not isinstance(value, Map):
        raise TypeError("a path has at least one key")
    return value


def _extract_run_time(values: Map, path: tuple[str, ...], lowering: Lowering) -> tuple[Map, list[HelmValue]]:
    """Return *values* without the texts that helm reads from files, and those texts."""
    if any(key.constant in (None, "") for key, _ in values.entries):
        return values, []
    entries_left: list[tuple[Text, Expression]] = []
    extracted: list[HelmValue] = []
    for key, value in values.entries:
        value_path = (*path, key.constant or "")
        match value:
            case Text() if value.constant is None:
                extracted.append(HelmValue(value_path, word(value, lowering)))
            case Map(entries=entries) if entries:
                inner, inner_extracted = _extract_run_time(value, value_path, lowering)
                extracted += inner_extracted
                entries_left += [(key, inner)] if inner.entries else []
            case _:
                entries_left.append((key, value))
    return Map(tuple(entries_left), values.span), extracted
