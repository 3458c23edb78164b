"""The names that stages have in a Jenkinsfile."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from pipegen.plan.model import Plan

# A literal cannot hold this character, and the declarative style takes nothing but a literal for a name.
_UNWRITABLE, _SHOWN = "\uffff", "\ufffd"


class Names:
    """Names of which each is given once."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def take(self, wanted: str, numbered: str = "{name} ({number})") -> str:
        """Return *wanted*; when it is taken, *numbered* with the first number that is free."""
        choices = (wanted if number == 1 else numbered.format(name=wanted, number=number) for number in count(1))
        name = next(name for name in choices if name not in self._given)
        self._given.add(name)
        return name


def display_names(plans: Sequence[Plan]) -> dict[tuple[str, str], str]:
    """Return the shown name of each pipeline's stages: alone or after `pipeline: ` when there are several pipelines."""
    names = Names()
    return {
        (plan.name, job.stage): names.take(_shown(plan, job.stage, is_alone=len(plans) == 1))
        for plan in plans
        for job in plan.jobs
    }


def _shown(plan: Plan, stage: str, *, is_alone: bool) -> str:
    name = stage if is_alone else f"{plan.name}: {stage}"
    return name.replace(_UNWRITABLE, _SHOWN)
