"""Conditions in a local run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pipegen.plan.model import Atom, Condition, Event, Exists, FilesChanged, IsEvent, IsSet, Matches, Pattern, Subject
from pipegen.plan.model.logic import atoms, holds
from pipegen.run.local.checkout import LocalCheckout
from pipegen.structs import Struct

# A user starts it: there is no push and no merge request.
EVENT = Event.MANUAL


class RunContext(Struct):
    """The data for conditions: checkout, values of inputs by name, and environment variables."""

    checkout: LocalCheckout
    inputs: Mapping[str, str]
    variables: Mapping[str, str]

    def holds(self, condition: Condition | None) -> bool:
        """Return whether *condition* holds in this run."""
        return holds(condition, {atom: self._is_true(atom) for atom in atoms(condition)})

    def _is_true(self, atom: Atom) -> bool:
        match atom:
            case IsEvent():
                return EVENT in atom.events
            case IsSet():
                return bool(self._value(atom))
            case Matches():
                value = self._value(atom)
                return bool(value) and any(pattern.matches(value) for pattern in atom.patterns)
            case Exists():
                return _has_match(self.checkout.files, atom.patterns)
            case FilesChanged(base=None):
                # A manual run has no base to compare with (see `FilesChanged`).
                return True
            case FilesChanged(base=str() as base):
                changed = self.checkout.changed(base)
                return changed is None or _has_match(changed, atom.patterns)
        raise AssertionError(atom)

    def _value(self, atom: Matches | IsSet) -> str:
        match atom.subject:
            case Subject.BRANCH:
                return self.checkout.branch
            case Subject.TAG:
                return self.checkout.tag
            case Subject.INPUT:
                return self.inputs.get(atom.name, "")
            case Subject.VARIABLE:
                return self.variables.get(atom.name, "")


def _has_match(paths: Iterable[str], patterns: Iterable[Pattern]) -> bool:
    wanted = tuple(patterns)
    return any(pattern.matches(path) for path in paths for pattern in wanted)
