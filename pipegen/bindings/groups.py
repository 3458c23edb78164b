"""The stages behind each name in the config: one stage, its combinations, or the stages of a called pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.config.model import StageConfig
from pipegen.structs import Struct

# Separates a stage from the stages of the pipeline that it calls.
INSIDE = " / "


class Groups(Struct):
    """The stages of a pipeline by the prefix of their called pipeline and their display name.

    *nested* are the prefixes (`stage / `) of the stages that call other pipelines.
    """

    stages: Mapping[str, StageConfig]
    members: Mapping[tuple[str, str], tuple[str, ...]]
    nested: frozenset[str]

    @classmethod
    def of(cls, stages: Iterable[StageConfig]) -> Groups:
        """Return the groups of *stages*; of two with the same name, the first counts."""
        by_name: dict[str, StageConfig] = {}
        members: dict[tuple[str, str], dict[str, None]] = {}
        for stage in stages:
            by_name.setdefault(stage.name.value, stage)
            members.setdefault((stage.within, stage.display_name), {})[stage.name.value] = None
        nested = frozenset(within for within, _ in members if within)
        return cls(by_name, {key: tuple(names) for key, names in members.items()}, nested)

    def resolve(self, name: str, reader: StageConfig) -> tuple[str, ...]:
        """Return the stages that *name* refers to in *reader*: with the same matrix, only the same combination."""
        names = self.members.get((reader.within, name), ())
        if reader.combination is None:
            return names
        return tuple(member for member in names if are_linked(self.stages[member], reader))

    def first(self, name: str, reader: StageConfig) -> StageConfig:
        """Return the first stage with the display name *name*."""
        return self.stages[self.members[reader.within, name][0]]

    def is_nested(self, name: str, reader: StageConfig) -> bool:
        """Return whether the stage *name* calls another pipeline."""
        return f"{reader.within}{name}{INSIDE}" in self.nested

    def names(self, reader: StageConfig) -> tuple[str, ...]:
        """Return the names of the stages that *reader* can refer to."""
        return tuple(name for within, name in self.members if within == reader.within)


def are_linked(first: StageConfig, second: StageConfig) -> bool:
    """Return whether an arc between two matrix stages connects these two combinations.

    An arc connects every combination with every other, unless one stage takes its combinations from the other: then it
    connects only equal ones.
    """
    if first.combination is None or second.combination is None:
        return True
    if first.within != second.within:
        return True
    takes = first.combination.stage in second.combination.sources
    takes = takes or second.combination.stage in first.combination.sources
    return not takes or first.combination.values == second.combination.values
