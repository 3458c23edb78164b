"""What conditions are evaluated against: the event that starts a run, and the other facts of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from pipegen.plan.model.conditions import (
    AllOf,
    AnyOf,
    AreEqual,
    Atom,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Subject,
)
from pipegen.plan.model.logic import holds
from pipegen.plan.model.patterns import Pattern
from pipegen.structs import Struct

# The branch of an event for which none is named.
DEFAULT_BRANCH = "main"
# The kinds of events by the words for them; "web" is GitLab's word for a run that a person starts.
EVENT_KINDS: Mapping[str, Event] = {**{kind.value: kind for kind in Event}, "web": Event.MANUAL}


class StartEvent(Struct, kw_only=True):
    """What starts a run, and for which revision.

    *branch* and *tag* are "" where the run has none: a run has one of the two, and a run for a merge request neither.
    *changed* are the paths that differ from the commit that an engine compares with; None if there is none.
    """

    kind: Event
    branch: str = ""
    tag: str = ""
    changed: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """The event in a few words, for example `push to main`."""
        words = self.kind.value.replace("_", " ")
        if self.kind is Event.TAG:
            return f"tag {self.tag}"
        if self.tag:
            return f"{words} for tag {self.tag}"
        if not self.branch:
            return words
        return f"{words} {'to' if self.kind is Event.PUSH else 'on'} {self.branch}"


def start_event(kind: Event, branch: str = "", tag: str = "", changed: Iterable[str] | None = None) -> StartEvent:
    """Return the event; a run without *branch* is on the default one, unless it is for *tag* or a merge request."""
    has_branch = not tag and kind is not Event.MERGE_REQUEST
    return StartEvent(
        kind=kind,
        branch=(branch or DEFAULT_BRANCH) if has_branch else "",
        tag=tag,
        changed=tuple(changed) if changed is not None else None,
    )


class RepositoryFiles(Protocol):
    """The files of a repository."""

    @property
    def files(self) -> Sequence[str]:
        """The paths of its files, relative to its root."""

    def changed(self, base: str) -> Sequence[str] | None:
        """Return the paths that differ from the merge base with the branch *base*; None if there is none."""


class RunFacts(Struct, kw_only=True):
    """The facts of a run: its event, the values of inputs by name, variables of the engine, and the repository."""

    event: StartEvent
    inputs: Mapping[str, str]
    variables: Mapping[str, str]
    repository: RepositoryFiles

    def holds(self, condition: Condition | None) -> bool:
        """Return whether *condition* holds in this run."""
        return holds(condition, self.is_true)

    def unmet(self, condition: Condition) -> Condition:
        """Return the part of *condition*, which does not hold in this run, that makes it false."""
        match condition:
            case AllOf():
                parts = tuple(self.unmet(part) for part in condition.conditions if not self.holds(part))
                return parts[0] if len(parts) == 1 else AllOf(parts)
            case AnyOf() if condition.conditions:
                return AnyOf(tuple(map(self.unmet, condition.conditions)))
            case Not():
                return Not(self._met(condition.condition))
        return condition

    def _met(self, condition: Condition) -> Condition:
        """Return the part of *condition*, which holds in this run, that makes it true."""
        match condition:
            case AllOf():
                return AllOf(tuple(map(self._met, condition.conditions)))
            case AnyOf():
                parts = tuple(self._met(part) for part in condition.conditions if self.holds(part))
                return parts[0] if len(parts) == 1 else AnyOf(parts)
            case Not():
                return Not(self.unmet(condition.condition))
        return condition

    def value(self, fact: Fact | Matches | IsSet) -> str:
        """Return the text of *fact*, or that a condition is about; "" if it is not set."""
        match fact.subject:
            case Subject.BRANCH:
                return self.event.branch
            case Subject.TAG:
                return self.event.tag
            case Subject.INPUT:
                return self.inputs.get(fact.name, "")
            case Subject.VARIABLE:
                return self.variables.get(fact.name, "")

    def is_true(self, atom: Atom) -> bool:
        """Return whether *atom* is true in this run."""
        match atom:
            case IsEvent():
                return self.event.kind in atom.events
            case IsSet():
                return bool(self.value(atom))
            case Matches():
                value = self.value(atom)
                return bool(value) and any(pattern.matches(value) for pattern in atom.patterns)
            case AreEqual():
                first, second = map(self.value, atom.facts)
                return first != "" and first == second
            case Exists():
                return _has_match(self.repository.files, atom.patterns)
            case FilesChanged():
                changed = self._changed(atom.base)
                return changed is None or _has_match(changed, atom.patterns)
        raise AssertionError(atom)

    def _changed(self, base: str | None) -> Sequence[str] | None:
        """Return the changed paths; None if there is nothing to compare with (see `FilesChanged`)."""
        if base is None:
            return self.event.changed if self.event.kind in (Event.PUSH, Event.MERGE_REQUEST) else None
        return self.event.changed if self.event.changed is not None else self.repository.changed(base)


def _has_match(paths: Iterable[str], patterns: Sequence[Pattern]) -> bool:
    return any(pattern.matches_any(paths) for pattern in patterns)
