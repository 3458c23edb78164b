"""Checks for targets that a config names and that are not installed."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.plan.model import Plan
from pipegen.source.text import Located
from pipegen.targets import registry


def check_targets(targets: Iterable[Located[str]], report: Report) -> None:
    """Report *targets*, keys of the config's settings, that are neither built in nor installed."""
    for target in targets:
        if target.value not in registry.BUILT_IN and target.value not in registry.names():
            report.add(
                codes.UNKNOWN_TARGET,
                f'there is no target "{target.value}"',
                at=target.span,
                hint=_hint(target.value),
            )


def check_raw_targets(plans: Iterable[Plan], report: Report) -> None:
    """Report `raw` keys of *plans* that no target reads."""
    raw = [(target, keys) for plan in plans for job in plan.jobs for target, keys in job.raw]
    known = registry.names() if raw else ()
    for target, keys in raw:
        if target not in known:
            report.add(
                codes.UNKNOWN_RAW_TARGET,
                f'there is no target "{target}", so its "raw" section has no effect',
                at=keys.span,
                hint=_hint(target),
            )


def _hint(name: str) -> str:
    suggested = registry.similar(name)
    return f'rename it to "{suggested}"' if suggested else f"the targets are {listed(registry.names())}"
