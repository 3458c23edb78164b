"""The names that stages have in a Jenkinsfile."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Plan

# A literal cannot hold this character, and the declarative style takes nothing but a literal for a name.
_UNWRITABLE, _SHOWN = "\uffff", "\ufffd"


class StageNames:
    """Names of which each is given once."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        # The last number of each wanted name, since all smaller ones are given.
        self._numbers: dict[str, int] = {}

    def take(self, wanted: str, numbered: str = "{name} ({number})") -> str:
        """Return *wanted*; when it is taken, *numbered* with the first number that is free."""
        name, number = wanted, self._numbers.get(wanted, 1)
        while name in self._given:
            number += 1
            name = numbered.format(name=wanted, number=number)
            self._numbers[wanted] = number
        self._given.add(name)
        return name


def display_names(plans: Sequence[Plan]) -> dict[tuple[str, str], str]:
    """Return the shown name of each pipeline's stages: alone or after `pipeline: ` when there are several pipelines."""
    names = StageNames()
    is_alone = len(plans) == 1
    return {
        (plan.name, job.stage): names.take(_shown(plan, job.stage, is_alone=is_alone))
        for plan in plans
        for job in plan.jobs
    }


def _shown(plan: Plan, stage: str, *, is_alone: bool) -> str:
    name = stage if is_alone else f"{plan.name}: {stage}"
    return name.replace(_UNWRITABLE, _SHOWN)
