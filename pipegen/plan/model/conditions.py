"""Conditions of jobs and pipelines: `when` as a tree.

A condition depends on facts that the engine knows before the run starts, not on outputs of stages.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from pipegen.plan.model.patterns import Pattern
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class Event(Enum):
    """The event that starts a run; each run has exactly one.

    A run for a merge request has that event whatever started it; schedule, manual and API come before tag and push.
    """

    PUSH = "push"
    MERGE_REQUEST = "merge_request"
    TAG = "tag"
    SCHEDULE = "schedule"
    MANUAL = "manual"
    API = "api"


class Subject(Enum):
    """The kind of a text that the engine knows before a run."""

    # Merge requests and tags have no branch.
    BRANCH = "branch"
    TAG = "tag"
    INPUT = "input"
    # A variable of the engine; an unset variable is empty.
    VARIABLE = "variable"


class Fact(Struct):
    """A text that the engine knows before a run; *name* is the input or variable, else ""."""

    subject: Subject
    name: str = ""


class Matches(SpannedStruct, kw_only=True):
    """One of *patterns* matches the subject; *name* is the input or variable, else "".

    An unset or empty subject matches no pattern.
    """

    subject: Subject
    name: str = ""
    patterns: tuple[Pattern, ...]
    span: Span


class IsSet(SpannedStruct, kw_only=True):
    """The subject is set and not empty."""

    subject: Subject
    name: str = ""
    span: Span


class AreEqual(SpannedStruct):
    """Two different *facts* have the same text, which is not empty; they are in the order of `Subject` and by name."""

    facts: tuple[Fact, Fact]
    span: Span


class IsEvent(SpannedStruct):
    """One of *events* started the run."""

    events: tuple[Event, ...]
    span: Span


class FilesChanged(SpannedStruct):
    """A file that one of *patterns* matches has changed.

    With *base*, changes are relative to the merge base with the branch *base*. Without it, they are relative to the
    merge base with the target of a merge request, or to the previous push. If there is nothing to compare with (the
    first push of a branch, or no *base* and another event), every file has changed.
    """

    patterns: tuple[Pattern, ...]
    base: str | None
    span: Span


class Exists(SpannedStruct):
    """A file that one of *patterns* matches is in the repository."""

    patterns: tuple[Pattern, ...]
    span: Span


class AllOf(Struct):
    """All of *conditions* hold; there are at least two."""

    conditions: tuple[Condition, ...]


class AnyOf(Struct):
    """One of *conditions* holds; there are at least two, or none in `NEVER`."""

    conditions: tuple[Condition, ...]


class Not(Struct):
    """*condition* does not hold."""

    condition: Condition


Atom: TypeAlias = "Matches | IsSet | AreEqual | IsEvent | FilesChanged | Exists"
Condition: TypeAlias = "Atom | AllOf | AnyOf | Not"

# A condition that inputs set at compile time make false.
NEVER = AnyOf(())
