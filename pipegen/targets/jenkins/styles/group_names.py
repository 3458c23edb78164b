"""The names of what holds several stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct
from pipegen.targets.jenkins.named_jobs import NamedJob

# A block of many stages is named by its first ones.
_SHOWN = 4


class CombinationName(Struct):
    """A combination of a matrix as its name shows it: the name of the stage, and that of the values."""

    stage: str
    values: str


def shown_combinations(named: Iterable[NamedJob]) -> dict[str, CombinationName]:
    """Return what the names of combinations among the *named* jobs show."""
    found = {}
    for one in named:
        if one.job.combination is not None:
            values = one.job.stage.removeprefix(f"{one.job.combination.stage}: ")
            found[one.name] = CombinationName(one.name.removesuffix(f": {values}"), values)
    return found


def chain_name(members: Sequence[str], combinations: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage that holds *members* one after the other: their values where these are equal."""
    values = {combinations[member].values if member in combinations else None for member in members}
    only = values.pop() if len(values) == 1 else None
    return only or group_name(members, combinations)


def group_name(members: Sequence[str], combinations: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage that holds *members*; *combinations* of one stage go by its name."""
    counts = Counter(combinations[member].stage for member in members if member in combinations)
    shown = (
        combinations[one].stage if one in combinations and counts[combinations[one].stage] > 1 else one
        for one in members
    )
    words = tuple(dict.fromkeys(shown))
    if len(words) <= _SHOWN:
        return ", ".join(words)
    return f"{', '.join(words[: _SHOWN - 1])} and {len(words) - _SHOWN + 1} more"
