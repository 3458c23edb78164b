"""The names of what holds several stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct
from pipegen.targets.jenkins.named_jobs import NamedJob

# A block of many stages is named by its first ones.
_SHOWN = 4


class CombinationName(Struct):
    """A leg of a matrix as its name shows it: the name of the stage, and that of the values."""

    stage: str
    values: str


def shown_legs(named: Iterable[NamedJob]) -> dict[str, CombinationName]:
    """Return what the names of legs among the *named* jobs show."""
    found = {}
    for one in named:
        if one.job.leg is not None:
            values = one.job.stage.removeprefix(f"{one.job.leg.stage}: ")
            found[one.name] = CombinationName(one.name.removesuffix(f": {values}"), values)
    return found


def chain_name(members: Sequence[str], legs: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage that holds *members* one after the other: for legs of the same values, these."""
    values = {legs[member].values if member in legs else None for member in members}
    only = values.pop() if len(values) == 1 else None
    return only or group_name(members, legs)


def group_name(members: Sequence[str], legs: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage that holds *members*; *legs* of one stage go by its name."""
    counts = Counter(legs[member].stage for member in members if member in legs)
    shown = (legs[one].stage if one in legs and counts[legs[one].stage] > 1 else one for one in members)
    words = tuple(dict.fromkeys(shown))
    if len(words) <= _SHOWN:
        return ", ".join(words)
    return f"{', '.join(words[: _SHOWN - 1])} and {len(words) - _SHOWN + 1} more"
