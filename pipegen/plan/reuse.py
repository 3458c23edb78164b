"""What a result of a stage depends on, where the stage says so."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.config.model import Stage
from pipegen.diagnostics.report import Report
from pipegen.plan.artifacts import sound_path
from pipegen.plan.model import Reuse
from pipegen.source.tree import Mapping, Node, Scalar, Sequence


def reuse(stage: Stage, directory: str, report: Report) -> Reuse | None:
    """Return what results of *stage*, which runs in *directory*, depend on; None where they are never reused."""
    if stage.reuse is None:
        return None
    node = stage.reuse.node
    if isinstance(node, Scalar) and node.value is False:
        return None
    body = node if isinstance(node, Mapping) else Mapping((), node.span)
    files = (sound_path(item.located(), directory, report) for item in _scalars(body.get("files")))
    return Reuse(
        tuple(path for path in files if path is not None),
        tuple(item.text for item in _scalars(body.get("env"))),
        stage.reuse.span,
    )


def _scalars(node: Node | None) -> Iterator[Scalar]:
    yield from (item for item in node if isinstance(item, Scalar)) if isinstance(node, Sequence) else ()
