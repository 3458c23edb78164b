"""What two versions of a config do differently."""

from __future__ import annotations

from enum import Enum

from pipegen.structs import Struct


class KeyChange(Struct):
    """A key that says something else: what it says in the old version and in the new one, None where it is absent."""

    key: str
    old: str | None
    new: str | None


class ChangeKind(Enum):
    """What happened to something with a name."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class NamedChange(Struct):
    """Keys of something with a name, an input or a target, that say something else."""

    name: str
    kind: ChangeKind
    changes: tuple[KeyChange, ...]


class PlacedStage(Struct):
    """A stage that only one version has, with the stages right before and right after it there, and what it says."""

    stage: str
    after: tuple[str, ...]
    before: tuple[str, ...]
    changes: tuple[KeyChange, ...]


class Renamed(Struct):
    """What does the same work under another name."""

    old: str
    new: str


class ChangedStages(Struct):
    """Stages of both versions that differ alike; names are those of the new version."""

    stages: tuple[str, ...]
    changes: tuple[KeyChange, ...]


class Pairs(Struct):
    """Stages that are in order in one version alone: how many pairs, and the fewest arcs that imply them.

    Of each arc, the stages of the first part come before those of the second.
    """

    count: int = 0
    arcs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()


class LongestPath(Struct):
    """A longest path: its stages, and how long it takes: in seconds where durations are known, else in stages."""

    stages: tuple[str, ...] = ()
    length: float = 0


class Prompt(Struct):
    """What a stage asks of people: that somebody approves of it (*secret* is ""), or a secret."""

    stage: str
    secret: str


class PipelineDifference(Struct, kw_only=True):
    """What is different about a pipeline of both versions; *old_name* is its name in the old one."""

    name: str
    old_name: str
    changes: tuple[KeyChange, ...]
    added: tuple[PlacedStage, ...]
    removed: tuple[PlacedStage, ...]
    renamed: tuple[Renamed, ...]
    changed: tuple[ChangedStages, ...]
    gained: Pairs
    lost: Pairs
    old_path: LongestPath
    new_path: LongestPath
    newly_asked: tuple[Prompt, ...]
    asked_no_more: tuple[Prompt, ...]

    @property
    def is_any(self) -> bool:
        """Whether anything is different."""
        return self.name != self.old_name or any(
            (self.changes, self.added, self.removed, self.renamed, self.changed, self.gained.count, self.lost.count)
        )


class Whole(Struct):
    """A pipeline that only one version has: its stages, its longest path, and what it asks of people."""

    name: str
    stages: tuple[str, ...]
    path: LongestPath
    asked: tuple[Prompt, ...]


class ConfigDifference(Struct, kw_only=True):
    """What is different about a config; *old* and *new* name the two versions.

    *inputs* and *targets* are those that one version alone has, or both with different keys. *is_timed* says that
    paths are measured in seconds.
    """

    old: str
    new: str
    inputs: tuple[NamedChange, ...]
    targets: tuple[NamedChange, ...]
    added: tuple[Whole, ...]
    removed: tuple[Whole, ...]
    pipelines: tuple[PipelineDifference, ...]
    is_timed: bool

    @property
    def is_any(self) -> bool:
        """Whether anything is different."""
        return any((self.inputs, self.targets, self.added, self.removed, self.pipelines))
