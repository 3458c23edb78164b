"""The differences between two versions of a config."""

from __future__ import annotations

from enum import Enum

from pipegen.structs import Struct


class KeyChange(Struct):
    """A key with different values in the old and the new version; None if the version lacks it."""

    key: str
    old: str | None
    new: str | None


class ChangeKind(Enum):
    """How a named item changed."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class NamedChange(Struct):
    """The changes of an input or a target."""

    name: str
    kind: ChangeKind
    changes: tuple[KeyChange, ...]


class UnmatchedStage(Struct):
    """A stage that only one version has, with its direct predecessors and successors, and its keys."""

    stage: str
    after: tuple[str, ...]
    before: tuple[str, ...]
    changes: tuple[KeyChange, ...]


class Rename(Struct):
    """A stage with the same work under another name."""

    old: str
    new: str


class ChangedStages(Struct):
    """Stages of both versions with equal changes; names are those of the new version."""

    stages: tuple[str, ...]
    changes: tuple[KeyChange, ...]


class Pairs(Struct):
    """Stages that are ordered in one version only: the number of pairs, and the fewest arcs that imply them.

    The stages of the first part of each arc come before the stages of the second.
    """

    count: int = 0
    arcs: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()


class LongestPath(Struct):
    """A longest path: its stages, and its length in seconds if durations are known, else in stages."""

    stages: tuple[str, ...]
    length: float


class Prompt(Struct):
    """A stage that asks for an approval (*secret* is "") or reads a secret."""

    stage: str
    secret: str


class PipelineDifference(Struct, kw_only=True):
    """The changes of a pipeline in both versions; *old_name* is its name in the old version."""

    name: str
    old_name: str
    changes: tuple[KeyChange, ...]
    added: tuple[UnmatchedStage, ...]
    removed: tuple[UnmatchedStage, ...]
    renamed: tuple[Rename, ...]
    changed: tuple[ChangedStages, ...]
    gained: Pairs
    lost: Pairs
    old_path: LongestPath
    new_path: LongestPath
    newly_asked: tuple[Prompt, ...]
    no_longer_asked: tuple[Prompt, ...]

    @property
    def has_changes(self) -> bool:
        """Whether the pipeline differs."""
        return self.name != self.old_name or any(
            (self.changes, self.added, self.removed, self.renamed, self.changed, self.gained.count, self.lost.count)
        )


class PipelineSummary(Struct):
    """A pipeline that only one version has: its stages, its longest path, and its prompts."""

    name: str
    stages: tuple[str, ...]
    path: LongestPath
    prompts: tuple[Prompt, ...]


class ConfigDifference(Struct, kw_only=True):
    """The changes of a config; *old* and *new* name the two versions.

    *inputs* and *targets* are the ones that only one version has, or that differ. *is_timed* is whether paths are
    measured in seconds.
    """

    old: str
    new: str
    inputs: tuple[NamedChange, ...]
    targets: tuple[NamedChange, ...]
    added: tuple[PipelineSummary, ...]
    removed: tuple[PipelineSummary, ...]
    pipelines: tuple[PipelineDifference, ...]
    is_timed: bool

    @property
    def has_changes(self) -> bool:
        """Whether the config differs."""
        return any((self.inputs, self.targets, self.added, self.removed, self.pipelines))
