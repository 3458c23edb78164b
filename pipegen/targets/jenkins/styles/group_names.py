"""The names of stages around several others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pipegen.structs import Struct
from pipegen.targets.jenkins.named_jobs import NamedJob

# The maximum number of stages in the name of a block.
_SHOWN = 4


class CombinationName(Struct):
    """A combination of a matrix in names: the name of the stage, and that of the values."""

    stage: str
    values: str


def shown_combinations(named: Iterable[NamedJob]) -> dict[str, CombinationName]:
    """Return the names of the combinations among the *named* jobs."""
    names = {}
    for named_job in named:
        if named_job.job.combination is not None:
            values = named_job.job.stage.removeprefix(f"{named_job.job.combination.stage}: ")
            names[named_job.name] = CombinationName(named_job.name.removesuffix(f": {values}"), values)
    return names


def chain_name(members: Sequence[str], combinations: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage around consecutive *members*: their common values, if they are equal."""
    values = {combinations[member].values if member in combinations else None for member in members}
    only = values.pop() if len(values) == 1 else None
    return only or group_name(members, combinations)


def group_name(members: Sequence[str], combinations: Mapping[str, CombinationName]) -> str:
    """Return the name of a stage around *members*; *combinations* of one stage are named by it."""
    counts = Counter(combinations[member].stage for member in members if member in combinations)
    names = (
        combinations[member].stage if member in combinations and counts[combinations[member].stage] > 1 else member
        for member in members
    )
    unique_names = tuple(dict.fromkeys(names))
    if len(unique_names) <= _SHOWN:
        return ", ".join(unique_names)
    return f"{', '.join(unique_names[: _SHOWN - 1])} and {len(unique_names) - _SHOWN + 1} more"
