"""Conditions as Groovy, evaluated by the functions at the end of a Jenkinsfile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pipegen.emit.groovy import literal
from pipegen.plan.model import (
    AllOf,
    AnyOf,
    Atom,
    Condition,
    Exists,
    FilesChanged,
    Input,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.model.logic import atoms
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression, literals
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.stages.scripts.inputs import input_value

# In Java `$` also matches before a line break at the end.
_END = re.compile(r"(\\.)|\$", re.DOTALL)


class ConditionWriter(Struct):
    """Converts conditions to Groovy; *inputs* are the parameters of the build."""

    inputs: Sequence[Input]

    def of(self, condition: Condition | None) -> str:  # noqa: PLR0911 - one for each kind
        """Return the boolean expression of *condition*; "" if it always holds."""
        match condition:
            case None:
                return ""
            case AnyOf(conditions=()):
                return "false"
            case AllOf():
                return " && ".join(map(self._enclosed, condition.conditions))
            case AnyOf():
                return " || ".join(map(self._enclosed, condition.conditions))
            case Not():
                return self._negated(condition.condition)
            case IsSet():
                return f"!!{self._value(condition)}"
        return self._atom(condition)

    def _enclosed(self, condition: Condition) -> str:
        """Return *condition* as an operand of others."""
        if isinstance(condition, IsSet):
            return self._value(condition)
        return f"({self.of(condition)})" if isinstance(condition, AnyOf) else self.of(condition)

    def _negated(self, condition: Condition) -> str:
        match condition:
            case Matches(patterns=(Pattern() as pattern,)) if pattern.literal is not None:
                return f"{self._value(condition)} != {literal(pattern.literal)}"
            case IsSet():
                return f"!{self._value(condition)}"
            case AllOf() | AnyOf():
                return f"!({self.of(condition)})"
            case Not():
                return self.of(condition.condition)
            case IsEvent(events=(event,)):
                return f"event() != {literal(event.value)}"
        return f"!{self._atom(condition)}"

    def _atom(self, atom: Atom) -> str:  # noqa: PLR0911 - one for each kind
        match atom:
            case Matches(patterns=(Pattern() as pattern,)) if pattern.literal is not None:
                return f"{self._value(atom)} == {literal(pattern.literal)}"
            case Matches():
                return f"matches({self._value(atom)}, {_list(map(_java, atom.patterns))})"
            case IsEvent(events=(event,)):
                return f"event() == {literal(event.value)}"
            case IsEvent():
                return f"{_list(event.value for event in atom.events)}.contains(event())"
            case FilesChanged():
                base = f", {literal(atom.base)}" if atom.base else ""
                return f"hasChanged({_list(map(_java, atom.patterns))}{base})"
            case Exists():
                return f"isInRepository({_list(map(_java, atom.patterns))})"
            case IsSet():
                return self._value(atom)

    def _value(self, atom: Matches | IsSet) -> str:
        match atom.subject:
            case Subject.BRANCH:
                return "branch()"
            case Subject.TAG:
                return "env.TAG_NAME"
            case Subject.INPUT:
                return self._input(atom.name)
            case Subject.VARIABLE:
                # Not with a dot: the object has other properties.
                return f"env.getProperty({literal(atom.name)})"

    def _input(self, name: str) -> str:
        input_ = next((one for one in self.inputs if one.name == name), None)
        return expression(input_value(input_)) if input_ else f"parameter({literal(name)})"


def lower_look(work: ScriptedPlans) -> model.Look | None:
    """Return the search for files before the stages, None if no condition needs it."""
    conditions = [job.condition for plan in work.plans for job in plan.jobs]
    conditions += [plan.condition for plan in work.plans if work.is_conditional]
    changed = [atom for atom in atoms(*conditions) if isinstance(atom, FilesChanged)]
    has_exists = any(isinstance(atom, Exists) for atom in atoms(*conditions))
    if not changed and not has_exists:
        return None
    return model.Look(
        agent=model.Agent(work.settings.agent),
        bases=tuple(dict.fromkeys(atom.base for atom in changed if atom.base is not None)),
        has_usual=any(atom.base is None for atom in changed),
    )


def _java(pattern: Pattern) -> str:
    """Return the Java regular expression that matches a whole text if *pattern* matches it."""
    if not pattern.is_regex:
        return pattern.body
    regex = _END.sub(lambda match: match[1] or r"\z", pattern.text)
    flags = "(?iu)" if regex.startswith("(?i)") else ""
    return f"{flags}(?s:.*)(?:{regex.removeprefix('(?i)')})(?s:.*)"


def _list(texts: Iterable[str]) -> str:
    return literals(tuple(texts))
