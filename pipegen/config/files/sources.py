"""The files of a config, as far as they can be read."""

from __future__ import annotations

import os
from pathlib import Path

from pipegen.config.files.load import absolute, load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


def sources(config: Path) -> tuple[Path, ...]:
    """Return *config* and the files that it includes, directly or not, even missing and invalid ones."""
    files: dict[Path, None] = {}
    queue = [absolute(config)]
    while queue:
        path = queue.pop(0)
        if path not in files:
            files[path] = None
            queue += [Path(os.path.normpath(path.parent / text)) for text in _included(path)]
    return tuple(files)


def _included(path: Path) -> tuple[str, ...]:
    report = Report()
    try:
        tree = read(load(path, report), report)
    except (OSError, Stopped):
        return ()
    node = tree.get("include") if isinstance(tree, Mapping) else None
    items: tuple[Node | None, ...] = tuple(node.items) if isinstance(node, Sequence) else (node,)
    return tuple(item.text for item in items if isinstance(item, Scalar) and "\0" not in item.text)
