"""The names of stages and functions in a Jenkinsfile."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.plan.model import Plan

# A literal cannot contain this character, and the declarative style allows only literals as names.
_UNWRITABLE, _REPLACEMENT = "\uffff", "\ufffd"


class StageNames:
    """Unique names."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        # The last number of each wanted name; all smaller ones are taken.
        self._numbers: dict[str, int] = {}

    def take(self, stem: str, numbered: str = "{name} ({number})") -> str:
        """Return *stem*; if it is taken, *numbered* with the first free number."""
        name, number = stem, self._numbers.get(stem, 1)
        while name in self._taken:
            number += 1
            name = numbered.format(name=stem, number=number)
            self._numbers[stem] = number
        self._taken.add(name)
        return name


def function_names(groovy: str) -> StageNames:
    """Return unique names for functions, none of which occurs in *groovy*."""
    names = StageNames()
    for word in dict.fromkeys(re.findall(r"\w+", groovy)):
        names.take(word)
    return names


def display_names(plans: Sequence[Plan]) -> dict[tuple[str, str], str]:
    """Return the name of each pipeline's stages: preceded by `pipeline: ` if there are several pipelines."""
    names = StageNames()
    is_alone = len(plans) == 1
    return {
        (plan.name, job.stage): names.take(_display_name(plan, job.stage, is_alone=is_alone))
        for plan in plans
        for job in plan.jobs
    }


def _display_name(plan: Plan, stage: str, *, is_alone: bool) -> str:
    name = stage if is_alone else f"{plan.name}: {stage}"
    return name.replace(_UNWRITABLE, _REPLACEMENT)


def steps_function_name(title: str) -> str:
    """Return a name for the function of the stage *title*: `unitSteps`. It ends so, as steps may be called `unit`."""
    words = re.findall(r"[A-Za-z0-9]+", title) or ["stage"]
    first, *others = [word.lower() if word.isupper() else word for word in words]
    name = "".join((first[:1].lower() + first[1:], *(word[:1].upper() + word[1:] for word in others)))
    return f"{name}Steps" if name[:1].isalpha() else f"steps{name}"
