"""What stages say to targets that there are not."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, near_miss
from pipegen.plan.model import Plan
from pipegen.targets import registry


def check_raw_targets(plans: Iterable[Plan], report: Report) -> None:
    """Report `raw` keys of *plans* that no target reads."""
    raw = [(target, keys) for plan in plans for job in plan.jobs for target, keys in job.raw]
    known = registry.names() if raw else ()
    for target, keys in raw:
        if target not in known:
            found = near_miss(target, known)
            report.add(
                codes.UNKNOWN_RAW_TARGET,
                f'there is no target "{target}", so nobody reads what "raw" says to it',
                at=keys.span,
                hint=f'rename it to "{found}"' if found else f"the targets are {listed(known)}",
            )
