"""What a stage says to one engine alone."""

from __future__ import annotations

from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.tree import Mapping


def raw(stage: Stage, report: Report) -> tuple[tuple[str, Mapping], ...]:
    """Return the keys for each target that *stage* names; that they mean nothing to others is told."""
    node = stage.raw.node if stage.raw else None
    if stage.raw is None or not isinstance(node, Mapping) or not node.entries:
        return ()
    names = " and ".join(f'"{entry.key.text}"' for entry in node.entries)
    report.add(
        codes.NOT_PORTABLE,
        f'stage "{stage.name.value}" says something that only {names} understands',
        at=stage.raw.span,
        hint="check what other engines make of the stage without it",
    )
    return tuple((entry.key.text, entry.value) for entry in node.entries if isinstance(entry.value, Mapping))
