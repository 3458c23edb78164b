"""Merges the files of a config."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pipegen.config.files.include import Included
from pipegen.config.schema.check import ValidConfig
from pipegen.config.schema.violation import Path
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.tree import Entry, Mapping, Node, Scalar, entries_of, plain

# The keys whose entries are merged, and the noun for one entry.
_NAMED = {"inputs": "input", "templates": "template", "pipelines": "pipeline"}


def merge_files(included: Included, report: Report) -> ValidConfig:
    """Return the files of *included* merged into one config; raise `Stopped` without pipelines.

    Names defined in several files, conflicting settings of targets, and a config without pipelines are reported.
    """
    tops = [tree for tree in included.trees if isinstance(tree, Mapping)]
    parts = dict.fromkeys(included.parts)
    entries = [entry for key in _NAMED if (entry := _merge_named(key, tops, parts, report))]
    settings = [entry for top in tops if (entry := top.entry("targets"))]
    if settings:
        entries.append(Entry(settings[-1].key, _merge_settings(settings, (), parts, report)))
    tree = Mapping(tuple(entries), tops[-1].span)
    if tree.entry("pipelines") is None:
        if not parts:
            _report_no_pipelines(tops[-1], report)
        raise Stopped
    return ValidConfig(tree, tuple(parts))


def _merge_named(key: str, tops: Sequence[Mapping], parts: dict[Path, None], report: Report) -> Entry | None:
    """Return the merged entry of *key* in *tops*, None if no file has it; names in two files become unknown *parts*."""
    same_key = [entry for top in tops if (entry := top.entry(key))]
    entries: dict[str, Entry] = {}
    for entry in chain.from_iterable(entries_of(entry.value) for entry in same_key):
        name = entry.key.text
        first = entries.setdefault(name, entry)
        if first is not entry:
            _report_twice(f'{_NAMED[key]} "{name}" is defined in two files', first.key, entry.key, report)
            if key != "pipelines":
                parts[key, name] = None
    if not same_key:
        return None
    return Entry(same_key[-1].key, Mapping(tuple(entries.values()), same_key[-1].value.span))


def _merge_settings(settings: Sequence[Entry], path: tuple[str, ...], parts: dict[Path, None], report: Report) -> Node:
    """Return the settings at *path* of several files: maps are merged, all other values must be equal."""
    maps = [entry.value for entry in settings if isinstance(entry.value, Mapping)]
    if len(maps) < len(settings):
        for entry in settings[1:]:
            if plain(entry.value) != plain(settings[0].value):
                message = f'the setting "{".".join(path)}" differs between two files'
                _report_twice(message, settings[0].key, entry.key, report)
                parts["targets", *path[:1]] = None
        return settings[-1].value
    keys = dict.fromkeys(entry.key.text for inner_map in maps for entry in inner_map.entries)
    entries = []
    for key in keys:
        inner = [inner_entry for inner_map in maps if (inner_entry := inner_map.entry(key))]
        entries.append(Entry(inner[-1].key, _merge_settings(inner, (*path, key), parts, report)))
    return Mapping(tuple(entries), maps[-1].span)


def _report_twice(message: str, first: Scalar, again: Scalar, report: Report) -> None:
    report.add(
        codes.DEFINED_TWICE,
        message,
        at=again.span,
        label="again",
        related=[Label(first.span, "first")],
        hint="remove one of them" if "setting" in message else "rename one of them, or remove it",
    )


def _report_no_pipelines(top: Mapping, report: Report) -> None:
    includes = top.entry("include")
    key = includes.key if includes else top.entries[0].key
    report.add(
        codes.MISSING_KEY,
        'neither the config nor its included files have "pipelines"' if includes else 'the config has no "pipelines"',
        at=key.span,
        label='"pipelines" is missing here',
        hint='add the key "pipelines"' if includes else "add it, or check the config that includes this file instead",
    )
