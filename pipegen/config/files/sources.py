"""The files that a config is read from, as far as they can be told."""

from __future__ import annotations

import os
from pathlib import Path

from pipegen.config.files.load import absolute, load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


def sources(config: Path) -> tuple[Path, ...]:
    """Return *config* and the files that it includes, directly or not, also those that are missing or broken."""
    found: dict[Path, None] = {}
    waiting = [absolute(config)]
    while waiting:
        place = waiting.pop(0)
        if place not in found:
            found[place] = None
            waiting += [Path(os.path.normpath(place.parent / text)) for text in _included(place)]
    return tuple(found)


def _included(place: Path) -> tuple[str, ...]:
    report = Report()
    try:
        tree = read(load(place, report), report)
    except (OSError, Stopped):
        return ()
    node = tree.get("include") if isinstance(tree, Mapping) else None
    items: tuple[Node | None, ...] = tuple(node.items) if isinstance(node, Sequence) else (node,)
    return tuple(item.text for item in items if isinstance(item, Scalar) and "\0" not in item.text)
