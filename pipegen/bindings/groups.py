"""What the user's names of stages mean: a stage, the combinations of one, or another pipeline in the place of one."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from pipegen.config.model import StageConfig
from pipegen.structs import Struct

# Namespaces that are no stages, where no stage has their name.
_OURS = ("setup", "inputs", "matrix", "pipeline")

# Stands between a stage and those of the pipeline that runs in its place.
INSIDE = " / "


class Groups(Struct):
    """The stages that run, by what they stand within and by the name that the user knows them by.

    *nested* holds what stages stand within that are no stages themselves: other pipelines run in their places.
    """

    stages: Mapping[str, StageConfig]
    members: Mapping[tuple[str, str], tuple[str, ...]]
    nested: frozenset[str]

    @classmethod
    def of(cls, stages: Iterable[StageConfig]) -> Groups:
        """Return the groups of *stages*; of two with one name, the first counts."""
        by_name: dict[str, StageConfig] = {}
        members: dict[tuple[str, str], dict[str, None]] = {}
        for stage in stages:
            by_name.setdefault(stage.name.value, stage)
            members.setdefault((stage.within, stage.said), {})[stage.name.value] = None
        nested = frozenset(within for within, _ in members if within)
        return cls(by_name, {said: tuple(names) for said, names in members.items()}, nested)

    def meant(self, name: str, reader: StageConfig) -> tuple[str, ...]:
        """Return the stages that *name* means in *reader*: of a stage with the same matrix, only one combination."""
        found = self.members.get((reader.within, name), ())
        if reader.combination is None:
            return found
        return tuple(one for one in found if are_linked(self.stages[one], reader))

    def first(self, name: str, reader: StageConfig) -> StageConfig:
        """Return the first of the stages that *name*, one of those `said`, means."""
        return self.stages[self.members[reader.within, name][0]]

    def is_nested(self, name: str, reader: StageConfig) -> bool:
        """Return whether another pipeline runs in the place of the stage *name*."""
        return f"{reader.within}{name}{INSIDE}" in self.nested

    def said(self, reader: StageConfig) -> tuple[str, ...]:
        """Return the names of stages that *reader* may know."""
        return tuple(name for within, name in self.members if within == reader.within)


def plain_stages(stages: Mapping[str, StageConfig], final: Container[str]) -> frozenset[str]:
    """Return the names that mean one stage, which has left all that it binds whenever a later one runs: most names.

    So they do in stages that are no combinations, not *final*, and in no other pipeline's place.
    """
    return frozenset(
        name
        for name, stage in stages.items()
        if stage.combination is None
        and not stage.within
        and stage.when is None
        and stage.allow_failure is None
        and (stage.run is None or stage.run.tail > 0)
        and name not in final
        and name not in _OURS
    )


def are_linked(one: StageConfig, other: StageConfig) -> bool:
    """Return whether an arc between two stages goes from the one combination to the other.

    It does from each combination to each, unless one stage takes its combinations from the other: then only between
    equal ones.
    """
    if one.combination is None or other.combination is None:
        return True
    if one.within != other.within:
        return True
    is_kin = one.combination.stage in other.combination.like or other.combination.stage in one.combination.like
    return not is_kin or one.combination.values == other.combination.values
