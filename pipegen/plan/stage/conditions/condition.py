"""The condition that a `when` describes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

from pipegen.config.model import StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.plan.model import (
    NEVER,
    AllOf,
    AnyOf,
    AreEqual,
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
from pipegen.plan.model.logic import can_hold, joined
from pipegen.plan.model.patterns import literal_pattern
from pipegen.plan.model.steps import is_variable_name
from pipegen.plan.regexes.subset import RegexError, portable_regex
from pipegen.plan.runs.parameters import Parameters
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, Sequence, entries_of, items_of, scalars_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct

# A condition, its result if it is constant, or None if it is invalid.
_Parsed: TypeAlias = "Condition | bool | None"

# A branch name without special characters of engines or git.
_BASE = r"[A-Za-z0-9_][A-Za-z0-9._/+-]*"
_FLAGGED = r"/.*/[a-zA-Z]+"
# The kinds of facts by their words in a config.
_SUBJECTS = {"branch": Subject.BRANCH, "tag": Subject.TAG, "inputs": Subject.INPUT, "env": Subject.VARIABLE}


def condition(
    value: StepValue | None,
    parameters: Parameters,
    homes: Mapping[str, object],
    report: Report,
    effect: str = "nothing runs",
) -> Condition | None:
    """Return the condition of the `when` in *value*, or None.

    *parameters* are those of the file; *homes* has the names of its stages. A condition that never holds is reported,
    with its *effect*.
    """
    if value is None:
        return None
    parsed = _Reader(parameters, homes, report).condition(value.node)
    if isinstance(parsed, bool):
        # Inputs that are set at compile time decide it.
        return None if parsed else NEVER
    if parsed is not None and not can_hold(parsed):
        report.add(
            codes.NEVER_HOLDS,
            f'this "when" never holds, so {effect}',
            at=value.span,
            hint="all keys must hold together, and a run has a branch, a tag, or neither (a merge request); "
            'put alternatives into "any"',
        )
    return parsed


class _Reader(Struct):
    """Reads conditions whose shape the schema has checked."""

    parameters: Parameters
    homes: Mapping[str, object]
    report: Report

    def condition(self, node: Node) -> _Parsed:
        """Return the condition of the map *node*."""
        return _joined_valid(AllOf, chain.from_iterable(map(self._conditions, entries_of(node))))

    def _conditions(self, entry: Entry) -> Iterator[_Parsed]:
        """Yield the conditions of one key, all of which must hold."""
        node = entry.value
        match entry.key.text:
            case "branch" | "tag" as name:
                yield self._value(node, Subject(name), "")
            case "event":
                yield IsEvent(tuple(dict.fromkeys(Event(word.text) for word in scalars_of(node))), node.span)
            case "changes":
                yield self._changes(node)
            case "exists":
                patterns = self._paths(node)
                yield Exists(patterns, node.span) if patterns else None
            case "inputs":
                yield from map(self._input, entries_of(node))
            case "env":
                yield from map(self._variable, entries_of(node))
            case "equal":
                yield self._equal(node)
            case "all" | "any" as name:
                yield _joined_valid(AllOf if name == "all" else AnyOf, map(self.condition, items_of(node)))
            case "not":
                yield _negated(self.condition(node))

    def _value(self, node: Node, subject: Subject, name: str) -> Condition | None:
        """Return the condition that a subject matches the patterns of *node*, is set, or is not set."""
        if isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN:
            is_set = IsSet(subject=subject, name=name, span=node.span)
            return is_set if node.value else Not(is_set)
        patterns = tuple(self._patterns(node, self._pattern))
        return Matches(subject=subject, name=name, patterns=patterns, span=node.span) if patterns else None

    def _input(self, entry: Entry) -> _Parsed:
        name, node = entry.key.text, entry.value
        parameter = self._parameter(name, entry.key.span)
        if parameter is None:
            return None
        if parameter.type is InputType.BOOLEAN and isinstance(node, Scalar) and node.text.lower() in ("true", "false"):
            # Both engines write a checked box as "true".
            is_true = Matches(subject=Subject.INPUT, name=name, patterns=(Pattern("true"),), span=node.span)
            parsed: Condition | None = is_true if node.text.lower() == "true" else Not(is_true)
        else:
            parsed = self._value(node, Subject.INPUT, name)
        return self._settled(parsed, self.parameters.constant(name))

    def _parameter(self, name: str, at: Span) -> Input | None:
        """Return the input *name*; report one that the file does not have."""
        parameter = next((candidate for candidate in self.parameters.inputs if candidate.name == name), None)
        if parameter is None:
            names = self.parameters.names
            similar = suggestion(name, names)
            hint = f"its inputs are {listed(names)}" if names else 'add it to "inputs"'
            self.report.add(
                codes.UNKNOWN_CONDITION_INPUT,
                f'the file has no input "{name}"',
                at=at,
                hint=f'write "{similar}"' if similar else hint,
            )
        return parameter

    def _equal(self, node: Node) -> _Parsed:
        """Return the condition that the two facts in *node* are equal."""
        facts = [self._fact(word) for word in scalars_of(node)]
        first, second = sorted((fact for fact in facts if fact is not None), key=_order) if all(facts) else (None, None)
        if first is None or second is None:
            return None
        if first == second:
            hint = "to test whether it has a value, write true as its pattern"
            self._wrong(scalars_of(node)[1], "is compared with itself", hint)
            return None
        known = {
            fact: value
            for fact in (first, second)
            if fact.subject is Subject.INPUT and (value := self.parameters.constant(fact.name)) is not None
        }
        match tuple(known.values()):
            case ():
                return AreEqual((first, second), node.span)
            case ("",) | ("", _) | (_, ""):
                return False
            case (text,):
                other = second if first in known else first
                patterns = (literal_pattern(text),)
                return Matches(subject=other.subject, name=other.name, patterns=patterns, span=node.span)
        return known[first] == known[second]

    def _fact(self, word: Scalar) -> Fact | None:
        kind, _, name = word.text.partition(".")
        if kind == "inputs" and self._parameter(name, word.part(len("inputs."), len(word.text))) is None:
            return None
        return Fact(_SUBJECTS[kind], name)

    def _settled(self, condition: Condition | None, value: str | None) -> _Parsed:
        """Return the result of *condition* if *value* is set at compile time, else *condition*."""
        if condition is None or value is None:
            return condition
        match condition:
            case Not():
                return not self._settled(condition.condition, value)
            case Matches():
                return value != "" and any(pattern.matches(value) for pattern in condition.patterns)
        return value != ""

    def _variable(self, entry: Entry) -> Condition | None:
        name = entry.key.text
        if not is_variable_name(name):
            self.report.add(
                codes.INVALID_VARIABLE,
                f'"{name}" is not a valid name of a variable',
                at=entry.key.span,
                hint='use letters, digits and "_", and do not start with a digit',
            )
            return None
        return self._value(entry.value, Subject.VARIABLE, name)

    def _changes(self, node: Node) -> Condition | None:
        if not isinstance(node, TreeMapping):
            patterns = self._paths(node)
            return FilesChanged(patterns, None, node.span) if patterns else None
        paths, base = node.get("paths"), node.get("base")
        patterns = self._paths(paths) if paths is not None else ()
        if isinstance(base, Scalar) and not re.fullmatch(_BASE, base.text):
            self._wrong(base, "is not a branch name", "name one branch, without a remote or wildcards")
        return FilesChanged(patterns, base.text if isinstance(base, Scalar) else None, node.span) if patterns else None

    def _paths(self, node: Node) -> tuple[Pattern, ...]:
        return tuple(self._patterns(node, self._path))

    def _patterns(self, node: Node, read: Callable[[Scalar], Pattern | None]) -> Iterator[Pattern]:
        """Yield the patterns that *node* lists, each once, as *read* converts them."""
        is_list = isinstance(node, Sequence)
        patterns: dict[Pattern, None] = {}
        for word in scalars_of(node):
            if is_list and word.kind is ScalarKind.BOOLEAN:
                hint = f'write it without a list, or quote it to match the text: "{word.text}"'
                self._wrong(word, "is not a pattern, so it cannot be in a list", hint)
            elif self._has_reference(word):
                continue
            elif (pattern := read(word)) is not None:
                patterns[pattern] = None
        yield from patterns

    def _pattern(self, word: Scalar) -> Pattern | None:
        text = word.text
        if not text:
            self._wrong(word, "matches nothing", 'write "false" for a value that is not set')
        elif len(text) > 1 and text.startswith("/") and text.endswith("/"):
            return self._regex(word)
        elif re.fullmatch(_FLAGGED, text, re.DOTALL):
            self._wrong(word, "has flags after its slash", 'start it with "(?i)" to ignore case')
        else:
            return Pattern(text)
        return None

    def _regex(self, word: Scalar) -> Pattern | None:
        source = word.text[1:-1]
        if not source:
            self._wrong(word, "matches everything", 'write "true" for any value')
            return None
        try:
            return Pattern(portable_regex(source), is_regex=True)
        except RegexError as error:
            self.report.add(
                codes.CONDITION_PATTERN,
                f'"{word.text}" is not a regular expression that every engine reads: {error.message}',
                at=word.part(error.start + 1, error.end + 1),
                hint="use the syntax of RE2: no lookahead or lookbehind, no backreferences, no possessive "
                "quantifiers, no named groups",
            )
        return None

    def _path(self, word: Scalar) -> Pattern | None:
        """Return the path pattern of *word*."""
        text = word.text
        if not text or text.endswith("/"):
            self._wrong(word, "matches no file", f'write "{text}**" for all files in it' if text else "name a file")
        elif text.startswith("/"):
            relative = text.strip("/")
            self._wrong(word, "is not a path pattern", f'paths are relative to the repository: "{relative or "**"}"')
        elif text.startswith("!"):
            self._wrong(word, "is not a path pattern", f'put excluded paths into "not": {{ … "{text[1:]}" }}')
        elif text.startswith("./") or "/../" in f"/{text}/" or "//" in text or "\\" in text:
            self._wrong(word, "matches no file", "write paths as git does: relative, with single slashes")
        elif re.search(r"[\x00-\x1f\x7f]", text):
            self._wrong(word, "contains a control character", "match it with a wildcard")
        else:
            return Pattern(text)
        return None

    def _has_reference(self, word: Scalar) -> bool:
        """Report a reference: outputs of stages do not exist yet when conditions are evaluated."""
        match = re.search(r"\$\{([A-Za-z0-9_-]*)(?:\[[^]]*\])?\.[^}]*\}", word.text)
        if match is None or (match[1] and match[1] not in (*self.homes, "setup", "inputs", "matrix", "pipeline")):
            return False
        self.report.add(
            codes.REFERENCE_IN_CONDITION,
            f'"{match[0]}" has no value when conditions are evaluated',
            at=word.part(match.start(), match.end()),
            hint='test an input with "inputs", a variable of the engine with "env"; '
            "test outputs of stages in the script",
        )
        return True

    def _wrong(self, word: Scalar, reason: str, hint: str) -> None:
        self.report.add(codes.CONDITION_PATTERN, f'"{word.text}" {reason}', at=word.span, hint=hint)


def _joined_valid(kind: type[AllOf | AnyOf], conditions: Iterable[_Parsed]) -> _Parsed:
    """Return *conditions* as one, without the invalid ones; None if no other remains."""
    operands = [operand for operand in conditions if operand is not None]
    return joined(kind, operands) if operands else None


def _order(fact: Fact) -> tuple[int, str]:
    """Return the position of *fact* in conditions: two facts have one order, because either may be named first."""
    return tuple(_SUBJECTS.values()).index(fact.subject), fact.name


def _negated(condition: _Parsed) -> _Parsed:
    match condition:
        case None:
            return None
        case bool():
            return not condition
        case Not():
            return condition.condition
    return Not(condition)
