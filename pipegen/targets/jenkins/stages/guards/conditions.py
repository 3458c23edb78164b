"""Conditions as Groovy, evaluated by the functions at the end of a Jenkinsfile."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipegen.emit.groovy import literal
from pipegen.plan.model import (
    AllOf,
    AnyOf,
    AreEqual,
    Atom,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    Input,
    InputType,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.model.logic import atoms, shortened
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.named_jobs import ScriptedPlans

# In Java `$` also matches before a line break at the end.
_END = re.compile(r"(\\.)|\$", re.DOTALL)
# The cause of a build that a timer started, a class of Jenkins.
_TIMER = "hudson.triggers.TimerTrigger$TimerTriggerCause"
# The flags of Java in place of `(?i)`.
_CASELESS = "(?iu)"
_ANCHORED_START = re.compile(r"\^(?![*+?{])")
_ANCHORED_END = re.compile(r"(?<!\\)(?:\\\\)*\$\Z")
_DOT = re.compile(r"(?<!\\)(?:\\\\)*\.")


class ConditionWriter(Struct):
    """Converts conditions to Groovy; *inputs* are the parameters of the build."""

    inputs: Sequence[Input]

    def of(self, condition: Condition | None) -> str:
        """Return the boolean expression of *condition*; "" if it always holds."""
        return "" if condition is None else self._of(shortened(condition))

    def decision(self, condition: Condition | None) -> str:
        """Return the expression of *condition* for a decision: neither null nor empty if it holds."""
        if condition is None:
            return ""
        shorter = shortened(condition)
        return self._truthy(shorter) or self._of(shorter)

    def _of(self, condition: Condition) -> str:
        match condition:
            case AnyOf(conditions=()):
                return "false"
            case AllOf():
                return " && ".join(map(self._enclosed, condition.conditions))
            case AnyOf():
                return " || ".join(map(self._enclosed, condition.conditions))
            case Not():
                return self._negated(condition.condition)
        value = self._truthy(condition)
        return f"!!{value}" if value is not None else self._atom(condition)

    def _enclosed(self, condition: Condition) -> str:
        """Return *condition* as an operand of others."""
        value = self._truthy(condition)
        if value is not None:
            return value
        return f"({self._of(condition)})" if isinstance(condition, AnyOf) else self._of(condition)

    def _negated(self, condition: Condition) -> str:
        match condition:
            case Matches(patterns=(Pattern() as pattern,)) if pattern.literal is not None:
                return f"{self._value(condition)} != {literal(pattern.literal)}"
            case _ if (value := self._truthy(condition)) is not None:
                return f"!{value}"
            case IsEvent(events=(event,)):
                return f"event() != {literal(event.value)}"
            case Not():
                return self._of(condition.condition)
            case AllOf() | AnyOf() | Matches() | AreEqual() | IsEvent(events=(_, _, *_)):
                return f"!({self._of(condition)})"
        return f"!{self._atom(condition)}"

    def _truthy(self, condition: Condition) -> str | None:
        """Return the expression that is neither null nor empty if *condition* holds; None for other conditions."""
        match condition:
            case IsSet():
                return self._value(condition)
            case IsEvent(events=(Event.MERGE_REQUEST,)):
                return "env.CHANGE_ID"
            case IsEvent(events=(Event.SCHEDULE,)):
                return f"currentBuild.getBuildCauses({literal(_TIMER)})"
        return None

    def _atom(self, atom: Atom) -> str:  # noqa: PLR0911 - one for each kind
        match atom:
            case Matches(patterns=(Pattern() as pattern,)) if pattern.literal is not None:
                return f"{self._value(atom)} == {literal(pattern.literal)}"
            case Matches():
                return f"{self._value(atom)} ==~ {literal(_regex(atom.patterns))}"
            case AreEqual():
                left, right = map(self._value, atom.facts)
                return f"{left} && {left} == {right}"
            case IsEvent(events=(event,)):
                return f"event() == {literal(event.value)}"
            case IsEvent():
                return f"event() in {literals([event.value for event in atom.events])}"
            case FilesChanged():
                base = f", {literal(atom.base)}" if atom.base else ""
                return f"hasChanged({literal(_regex(atom.patterns))}{base})"
            case Exists():
                return f"isInRepository({literal(_regex(atom.patterns))})"
            case IsSet():
                return f"!!{self._value(atom)}"

    def _value(self, fact: Fact | Matches | IsSet) -> str:
        match fact.subject:
            case Subject.BRANCH:
                return "branch()"
            case Subject.TAG:
                return "env.TAG_NAME"
            case Subject.INPUT:
                return self._input(fact.name)
            case Subject.VARIABLE:
                # Not with a dot: the object has other properties.
                return f"env.getProperty({literal(fact.name)})"

    def _input(self, name: str) -> str:
        is_boolean = any(input_.name == name and input_.type is InputType.BOOLEAN for input_ in self.inputs)
        return f'"${{params.{name}}}"' if is_boolean else f"params.{name}"


def conjunction(*conditions: str) -> str:
    """Return the expression that holds if all Groovy *conditions* do; "" always holds."""
    operands = [condition for condition in conditions if condition]
    if len(operands) < 2:  # noqa: PLR2004 - one
        return "".join(operands)
    return " && ".join(f"({operand})" if "||" in operand else operand for operand in operands)


def lower_look(work: ScriptedPlans) -> model.Look | None:
    """Return the search for files before the stages, None if no condition needs it."""
    conditions = [condition for plan in work.plans for job in plan.jobs for condition in job.conditions]
    conditions += [plan.condition for plan in work.plans if work.is_conditional]
    changed = [atom for atom in atoms(*conditions) if isinstance(atom, FilesChanged)]
    has_exists = any(isinstance(atom, Exists) for atom in atoms(*conditions))
    if not changed and not has_exists:
        return None
    return model.Look(
        agent=model.Agent(work.settings.agent),
        lists_files=has_exists,
        bases=tuple(dict.fromkeys(atom.base for atom in changed if atom.base is not None)),
        has_usual=any(atom.base is None for atom in changed),
    )


def _regex(patterns: Sequence[Pattern]) -> str:
    """Return the Java regular expression that matches a whole text, but not an empty one, if one of *patterns* does."""
    bodies = [_java(pattern) for pattern in patterns]
    if len(bodies) > 1:
        bodies = [f"(?:{body})" if "|" in body or body.startswith(_CASELESS) else body for body in bodies]
    regex = "|".join(bodies)
    if any(pattern.matches("") for pattern in patterns):
        regex = rf"(?!\z)(?:{regex})" if len(bodies) > 1 else rf"(?!\z){regex}"
    # Only a line feed ends a line.
    return f"(?d){regex}" if _DOT.search(regex) else regex


def _java(pattern: Pattern) -> str:
    """Return the Java regular expression that matches a whole text if *pattern* matches it."""
    if not pattern.is_regex:
        return pattern.body
    flags, body = (_CASELESS, pattern.text[4:]) if pattern.text.startswith("(?i)") else ("", pattern.text)
    if _has_alternatives(body):
        return f"{flags}(?s:.*)(?:{_with_ends(body)})(?s:.*)"
    # An anchor at the start or the end is needless for a text that must match as a whole.
    start, end = _ANCHORED_START.match(body), _ANCHORED_END.search(body)
    inner = _with_ends(body[start is not None : -1 if end is not None else None])
    return f"{flags}{'' if start is not None else '(?s:.*)'}{inner}{'' if end is not None else '(?s:.*)'}"


def _with_ends(regex: str) -> str:
    """Return *regex* with anchors for the end of the text: that of Java also matches before a line break."""
    return _END.sub(lambda match: match[1] or r"\z", regex)


def _has_alternatives(regex: str) -> bool:
    """Return whether *regex* has, or may have, alternatives outside parentheses."""
    bare = re.sub(r"\\.|\[[^]]*\]", "", regex, flags=re.DOTALL)
    while (outer := re.sub(r"\([^()]*\)", "", bare)) != bare:
        bare = outer
    return "|" in bare
