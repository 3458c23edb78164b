"""The values for a chart: one document, and what is handed to helm in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.bindings.expression import Expression, Map, Text
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Word, constant
from pipegen.shell.text import word
from pipegen.structs import Struct

# What separates keys and values in helm's own short form.
_SPECIAL = re.compile(r"[.,=\[\]{}\\]")


class HelmValue(Struct):
    """A text for the chart: the keys that lead to it, and what it says."""

    path: tuple[str, ...]
    word: Word


def helm_values(overrides: Map, defaults: Sequence[HelmValue], lowering: Lowering) -> tuple[Map, tuple[HelmValue, ...]]:
    """Return *overrides* over *defaults* as a document, and the texts known only at run time that it leaves out."""
    given = [value for value in defaults if not _says(overrides, value.path)]
    run_time = [value for value in given if constant(value.word) is None]
    known = Map((), overrides.span)
    for value in given:
        text = constant(value.word)
        if text is not None:
            known = merged(known, _nested(value.path, Text((text,) if text else (), overrides.span)))
    document, taken_out = _without_run_time(merged(known, overrides), (), lowering)
    return document, (*run_time, *taken_out)


def merged(base: Map, over: Map) -> Map:
    """Return *over* merged into *base*, key by key, with *over* winning."""
    entries = dict(base.entries)
    for key, value in over.entries:
        own = base.get(key.constant) if key.constant is not None else None
        entries[key] = merged(own, value) if isinstance(own, Map) and isinstance(value, Map) else value
    return Map(tuple(entries.items()), over.span)


def key_path(path: Sequence[str]) -> str:
    """Return the keys of *path* in helm's short form."""
    return ".".join(_SPECIAL.sub(r"\\\g<0>", key) for key in path)


def value_files(values: Sequence[HelmValue]) -> tuple[str, ...]:
    """Return a file name for each of *values*, all different and readable."""
    names: dict[str, None] = {}
    for value in values:
        name = re.sub(r"[^A-Za-z0-9_.-]", "_", ".".join(value.path))
        names[name if name not in names else f"{name}-{len(names)}"] = None
    return tuple(names)


def _says(overrides: Map, path: Sequence[str]) -> bool:
    """Return whether *overrides* decides what stands at *path*."""
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


def _without_run_time(values: Map, path: tuple[str, ...], lowering: Lowering) -> tuple[Map, list[HelmValue]]:
    """Return *values* without the texts that helm reads from files, and those texts."""
    if any(key.constant in (None, "") for key, _ in values.entries):
        return values, []
    kept: list[tuple[Text, Expression]] = []
    taken_out: list[HelmValue] = []
    for key, value in values.entries:
        here = (*path, key.constant or "")
        match value:
            case Text() if value.constant is None:
                taken_out.append(HelmValue(here, word(value, lowering)))
            case Map(entries=entries) if entries:
                inner, found = _without_run_time(value, here, lowering)
                taken_out += found
                kept += [(key, inner)] if inner.entries else []
            case _:
                kept.append((key, value))
    return Map(tuple(kept), values.span), taken_out
