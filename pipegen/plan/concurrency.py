"""What happens when runs of a pipeline meet."""

from __future__ import annotations

from pipegen.config.model import Value
from pipegen.plan.model import Concurrency
from pipegen.source.tree import Mapping, Scalar


def concurrency(value: Value | None) -> Concurrency | None:
    """Return what `concurrency` says: the name of a group, or a map; None without it."""
    if value is None:
        return None
    body = value.node
    group = body.get("group") if isinstance(body, Mapping) else body
    cancel = body.get("cancel") if isinstance(body, Mapping) else None
    return Concurrency(
        group=(group.text or None) if isinstance(group, Scalar) else None,
        cancels=isinstance(cancel, Scalar) and cancel.value is True,
        span=value.span,
    )
