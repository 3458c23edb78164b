"""What a stage waits for beside the stages before it, and what it deploys to."""

from __future__ import annotations

from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Gate, Lock
from pipegen.plan.values import Values
from pipegen.source.tree import Scalar, Sequence


def gate(stage: Stage, values: Values) -> Gate:
    """Return what *stage* waits for; what is wrong with it is reported."""
    return Gate(locks=_locks(stage, values.report))


def _locks(stage: Stage, report: Report) -> tuple[Lock, ...]:
    """Return the locks of *stage*, each once."""
    if stage.lock is None:
        return ()
    node = stage.lock.node
    found: dict[str, Lock] = {}
    for item in node.items if isinstance(node, Sequence) else (node,):
        if not isinstance(item, Scalar):
            continue
        if not item.text.strip():
            report.add(codes.INVALID_VALUE, "a lock has no name", at=item.span, hint="name what only one may use")
        found.setdefault(item.text, Lock(item.text, item.span))
    return tuple(found.values())
