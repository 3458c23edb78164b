"""What a result of an earlier run depends on, so that it may stand for a new one."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.config.model import Stage
from pipegen.diagnostics.report import Report
from pipegen.plan.artifacts import sound_path
from pipegen.plan.model import Reuse
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


def reuse(stage: Stage, directory: str, report: Report) -> Reuse | None:
    """Return what the result of *stage* depends on; None where each run works it out anew."""
    if stage.reuse is None or (isinstance(stage.reuse.node, Scalar) and stage.reuse.node.value is not True):
        return None
    body = stage.reuse.node if isinstance(stage.reuse.node, Mapping) else Mapping((), stage.reuse.span)
    paths = (sound_path(item.located(), directory, report) for item in _items(body.get("files")))
    return Reuse(
        files=tuple(path for path in paths if path is not None),
        env=tuple(item.text for item in _items(body.get("env"))),
        span=stage.reuse.span,
    )


def _items(node: Node | None) -> Iterator[Scalar]:
    if isinstance(node, Sequence):
        yield from (item for item in node.items if isinstance(item, Scalar))
