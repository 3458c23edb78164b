"""The ends of pipelines with finally stages: names that these stages come after, as if each were one more stage."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.targets.jenkins.names import Names
from pipegen.targets.jenkins.work import NamedJob

_END = "all others"


def ends(named: Sequence[NamedJob]) -> dict[str, str]:
    """Return a name for the end of each pipeline that has finally stages, one that no stage has."""
    final = {one.plan.name for one in named if one.job.is_final}
    if not final:
        return {}
    names = Names()
    for one in named:
        names.take(one.name)
    plans = dict.fromkeys(one.plan.name for one in named)
    return {plan: names.take(_END if len(plans) == 1 else f"{_END} of {plan}") for plan in plans if plan in final}
