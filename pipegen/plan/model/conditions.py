"""When a job or a pipeline runs: what `when` says, as a tree.

What the engine knows before anything runs decides it; no output of a stage does.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from pipegen.plan.model.patterns import Pattern
from pipegen.source.text import Span
from pipegen.structs import SpannedStruct, Struct


class Event(Enum):
    """What a run was started by; each run has exactly one.

    A merge request is one whatever started its run, then a schedule, a person and a program count before the tag or
    branch that is built.
    """

    PUSH = "push"
    MERGE_REQUEST = "merge_request"
    TAG = "tag"
    SCHEDULE = "schedule"
    MANUAL = "manual"
    API = "api"


class Subject(Enum):
    """What patterns are held against."""

    # Merge requests and tags have no branch.
    BRANCH = "branch"
    TAG = "tag"
    INPUT = "input"
    # A variable of the engine; one that is not set is empty.
    VARIABLE = "variable"


class Matches(SpannedStruct, kw_only=True):
    """One of *patterns* matches the subject; *name* is that of an input or variable, else "".

    A subject that is not there, or is empty, matches nothing.
    """

    subject: Subject
    name: str = ""
    patterns: tuple[Pattern, ...]
    span: Span


class IsSet(SpannedStruct, kw_only=True):
    """The subject is there and not empty."""

    subject: Subject
    name: str = ""
    span: Span


class IsEvent(SpannedStruct):
    """The run was started by one of *events*."""

    events: tuple[Event, ...]
    span: Span


class FilesChanged(SpannedStruct):
    """A file that one of *patterns* matches has changed.

    With *base*, against where the branch that is built left the branch *base*; else, in a merge request, against
    where it left its target, and in a push against what was built or pushed before. Where there is nothing to compare
    with (the first push of a branch, or no *base* and any other event), every file has changed.
    """

    patterns: tuple[Pattern, ...]
    base: str | None
    span: Span


class Exists(SpannedStruct):
    """A file that one of *patterns* matches stands in the repository."""

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


Atom: TypeAlias = "Matches | IsSet | IsEvent | FilesChanged | Exists"
Condition: TypeAlias = "Atom | AllOf | AnyOf | Not"

# What the user has fixed at compile time so that it does not hold.
NEVER = AnyOf(())
