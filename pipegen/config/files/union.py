"""Several files to the one config that they make."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Entry, Mapping, Node, Scalar, plain

# What all files together hold by name, and what to call one of it.
_NAMED = {"inputs": "input", "templates": "template", "pipelines": "pipeline"}


def merge_files(trees: Sequence[Node], report: Report) -> Mapping:
    """Return the config that *trees* make, the last of which includes the others.

    Reported are names that stand in several files, settings of targets that say different things, and a config without
    pipelines.
    """
    tops = [tree for tree in trees if isinstance(tree, Mapping)]
    entries = [entry for key in _NAMED if (entry := _together(key, tops, report))]
    settings = [entry for top in tops if (entry := top.entry("targets"))]
    if settings:
        entries.append(Entry(settings[-1].key, _settings(settings, (), report)))
    tree = Mapping(tuple(entries), tops[-1].span)
    if tree.entry("pipelines") is None:
        _report_no_pipelines(tops[-1], report)
    return tree


def _together(key: str, tops: Sequence[Mapping], report: Report) -> Entry | None:
    """Return what *tops* hold under *key*."""
    found = [entry for top in tops if (entry := top.entry(key))]
    entries: dict[str, Entry] = {}
    for entry in chain.from_iterable(_entries(one.value) for one in found):
        name = entry.key.text
        first = entries.setdefault(name, entry)
        if first is not entry:
            _report_twice(f'{_NAMED[key]} "{name}" stands in two files', first.key, entry.key, report)
    if not found:
        return None
    return Entry(found[-1].key, Mapping(tuple(entries.values()), found[-1].value.span))


def _settings(found: Sequence[Entry], path: tuple[str, ...], report: Report) -> Node:
    """Return the settings at *path* that several files hold: maps are put together, all else must be the same."""
    maps = [entry.value for entry in found if isinstance(entry.value, Mapping)]
    if len(maps) < len(found):
        for entry in found[1:]:
            if plain(entry.value) != plain(found[0].value):
                words = f'the setting "{".".join(path)}" differs between two files'
                _report_twice(words, found[0].key, entry.key, report)
        return found[-1].value
    keys = dict.fromkeys(entry.key.text for one in maps for entry in one.entries)
    entries = []
    for key in keys:
        inner = [below for one in maps if (below := one.entry(key))]
        entries.append(Entry(inner[-1].key, _settings(inner, (*path, key), report)))
    return Mapping(tuple(entries), maps[-1].span)


def _report_twice(message: str, first: Scalar, again: Scalar, report: Report) -> None:
    report.add(
        codes.DEFINED_TWICE,
        message,
        at=again.span,
        label="again",
        also=[Label(first.span, "first")],
        hint="remove one of them" if "setting" in message else "rename one of them, or remove it",
    )


def _report_no_pipelines(top: Mapping, report: Report) -> None:
    includes = top.entry("include")
    key = includes.key if includes else top.entries[0].key
    report.add(
        codes.MISSING_KEY,
        'neither the config nor what it includes has "pipelines"' if includes else 'the config has no "pipelines"',
        at=key.span,
        label='"pipelines" is missing here',
        hint='add the key "pipelines"' if includes else "add it, or check the config that includes this file instead",
    )


def _entries(node: Node) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, Mapping) else ()
