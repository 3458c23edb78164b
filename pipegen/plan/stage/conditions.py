"""What `when` says, as a condition."""

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
    Condition,
    Event,
    Exists,
    FilesChanged,
    InputType,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Subject,
)
from pipegen.plan.model.logic import can_hold
from pipegen.plan.regex import RegexError, common
from pipegen.plan.runs.parameters import Parameters
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, Sequence
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct

# Whether a condition holds, where that is known; None for one that is wrong.
_Found: TypeAlias = "Condition | bool | None"

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
# A name of a branch that stands for itself wherever an engine, or git, takes it.
_BASE = r"[A-Za-z0-9_][A-Za-z0-9._/+-]*"
_FLAGGED = re.compile(r"/.*/[a-zA-Z]+", re.DOTALL)


def condition(
    value: StepValue | None, parameters: Parameters, homes: Mapping[str, object], report: Report
) -> Condition | None:
    """Return what the `when` that is *value* says, None without it.

    *parameters* are those of the file, *homes* holds the names of its stages. One that can never hold is reported.
    """
    if value is None:
        return None
    found = _Reader(parameters, homes, report).condition(value.node)
    if isinstance(found, bool):
        # Inputs that are fixed at compile time decide it.
        return None if found else NEVER
    if found is not None and not can_hold(found):
        report.add(
            codes.NEVER_HOLDS,
            'this "when" never holds, so nothing runs',
            at=value.span,
            hint="all keys must hold at once, and a run has a branch, a tag, or neither (a merge request); "
            'alternatives go into "any"',
        )
    return found


class _Reader(Struct):
    """Reads conditions; the schema has checked their shape."""

    parameters: Parameters
    homes: Mapping[str, object]
    report: Report

    def condition(self, node: Node) -> _Found:
        """Return what the map *node* says: whether it holds where that is known, None where all of it is wrong."""
        entries = node.entries if isinstance(node, TreeMapping) else ()
        return _joined(AllOf, chain.from_iterable(map(self._conditions, entries)))

    def _conditions(self, entry: Entry) -> Iterator[_Found]:
        """Yield the conditions of one key, all of which must hold."""
        node = entry.value
        match entry.key.text:
            case "branch" | "tag" as name:
                yield self._value(node, Subject(name), "")
            case "event":
                yield IsEvent(tuple(dict.fromkeys(Event(word.text) for word in _words(node))), node.span)
            case "changes":
                yield self._changes(node)
            case "exists":
                patterns = self._paths(node)
                yield Exists(patterns, node.span) if patterns else None
            case "inputs":
                yield from (self._input(one) for one in _entries(node))
            case "env":
                yield from (self._variable(one) for one in _entries(node))
            case "all":
                yield _joined(AllOf, map(self.condition, _items(node)))
            case "any":
                yield _joined(AnyOf, map(self.condition, _items(node)))
            case "not":
                yield _negated(self.condition(node))

    def _value(self, node: Node, subject: Subject, name: str) -> Condition | None:
        """Return that the value of a subject is as *node* says: matches, is there, or is not."""
        if isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN:
            is_set = IsSet(subject=subject, name=name, span=node.span)
            return is_set if node.value else Not(is_set)
        patterns = tuple(self._patterns(node, self._pattern))
        return Matches(subject=subject, name=name, patterns=patterns, span=node.span) if patterns else None

    def _input(self, entry: Entry) -> _Found:
        name, node = entry.key.text, entry.value
        given = next((one for one in self.parameters.inputs if one.name == name), None)
        if given is None:
            names = self.parameters.names
            found = suggestion(name, names)
            known = f"its inputs are {listed(names)}" if names else 'add it to "inputs"'
            self.report.add(
                codes.UNKNOWN_CONDITION_INPUT,
                f'the file has no input "{name}"',
                at=entry.key.span,
                hint=f'write "{found}"' if found else known,
            )
            return None
        if given.type is InputType.BOOLEAN and isinstance(node, Scalar) and node.text.lower() in ("true", "false"):
            # "true" is how both engines write a checked box.
            is_true = Matches(subject=Subject.INPUT, name=name, patterns=(Pattern("true"),), span=node.span)
            asked: Condition | None = is_true if node.text.lower() == "true" else Not(is_true)
        else:
            asked = self._value(node, Subject.INPUT, name)
        return self._settled(asked, self.parameters.constant(name))

    def _settled(self, condition: Condition | None, value: str | None) -> _Found:
        """Return whether *condition* holds for the *value* that an input is fixed to, if it is."""
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
        if not re.fullmatch(_VARIABLE, name):
            self.report.add(
                codes.INVALID_VARIABLE,
                f'"{name}" is no name of a variable',
                at=entry.key.span,
                hint='use letters, digits and "_", and begin with no digit',
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
            self._wrong(base, "names no branch", "name one branch, without a remote and without wildcards")
        return FilesChanged(patterns, base.text if isinstance(base, Scalar) else None, node.span) if patterns else None

    def _paths(self, node: Node) -> tuple[Pattern, ...]:
        return tuple(self._patterns(node, self._path))

    def _patterns(self, node: Node, read: Callable[[Scalar], Pattern | None]) -> Iterator[Pattern]:
        """Yield the patterns that *node* lists, each once, as *read* takes them."""
        is_list = isinstance(node, Sequence)
        found: dict[Pattern, None] = {}
        for word in _words(node):
            if is_list and word.kind is ScalarKind.BOOLEAN:
                hint = f'write it alone, or quote it for the text itself: "{word.text}"'
                self._wrong(word, "is no pattern, so it cannot stand in a list", hint)
            elif self._has_reference(word):
                continue
            elif (pattern := read(word)) is not None:
                found[pattern] = None
        yield from found

    def _pattern(self, word: Scalar) -> Pattern | None:
        text = word.text
        if not text:
            self._wrong(word, "matches nothing", 'write "false" for a value that is not there')
        elif len(text) > 1 and text.startswith("/") and text.endswith("/"):
            return self._regex(word)
        elif _FLAGGED.fullmatch(text):
            self._wrong(word, "has flags behind its slash", 'begin it with "(?i)" to take upper and lower case as one')
        else:
            return Pattern(text)
        return None

    def _regex(self, word: Scalar) -> Pattern | None:
        source = word.text[1:-1]
        if not source:
            self._wrong(word, "matches everything", 'write "true" for any value')
            return None
        try:
            return Pattern(common(source), is_regex=True)
        except RegexError as error:
            self.report.add(
                codes.CONDITION_PATTERN,
                f'"{word.text}" is no regular expression that every engine reads: {error.message}',
                at=word.part(error.start + 1, error.end + 1),
                hint="engines search with RE2: no looking ahead or behind, no references to groups, no possessive "
                "quantifiers, no names",
            )
        return None

    def _path(self, word: Scalar) -> Pattern | None:
        """Return the pattern of paths that *word* is."""
        text = word.text
        if not text or text.endswith("/"):
            self._wrong(word, "matches no file", f'write "{text}**" for all files below' if text else "name a file")
        elif text.startswith("/"):
            relative = text.strip("/")
            self._wrong(word, "is no pattern of paths", f'paths are relative to the repository: "{relative or "**"}"')
        elif text.startswith("!"):
            self._wrong(word, "is no pattern of paths", f'what is left out goes into "not": {{ … "{text[1:]}" }}')
        elif text.startswith("./") or "/../" in f"/{text}/" or "//" in text or "\\" in text:
            self._wrong(word, "matches no file", "write paths as git does: relative, with single slashes")
        elif re.search(r"[\x00-\x1f\x7f]", text):
            self._wrong(word, "holds a control character", "match it with a wildcard")
        else:
            return Pattern(text)
        return None

    def _has_reference(self, word: Scalar) -> bool:
        """Report a reference of ours: what stages leave is not there yet when it is decided which of them run."""
        found = re.search(r"\$\{([A-Za-z0-9_-]*)(?:\[[^]]*\])?\.[^}]*\}", word.text)
        if found is None or (found[1] and found[1] not in (*self.homes, "setup", "inputs", "matrix", "pipeline")):
            return False
        self.report.add(
            codes.REFERENCE_IN_CONDITION,
            f'"{found[0]}" has no value when it is decided what runs',
            at=word.part(found.start(), found.end()),
            hint='an input is asked by "inputs", a variable of the engine by "env"; '
            "what depends on another stage is decided in the script",
        )
        return True

    def _wrong(self, word: Scalar, why: str, hint: str) -> None:
        self.report.add(codes.CONDITION_PATTERN, f'"{word.text}" {why}', at=word.span, hint=hint)


def _joined(kind: type[AllOf | AnyOf], conditions: Iterable[_Found]) -> _Found:
    """Return *conditions* as one; those of the same kind inside are taken apart."""
    given = tuple(conditions)
    decides = kind is AnyOf
    if any(one is decides for one in given):
        return decides
    parts: dict[Condition, None] = {}
    for one in given:
        if not isinstance(one, bool | None):
            parts |= dict.fromkeys(one.conditions if isinstance(one, kind) else (one,))
    found = tuple(parts)
    if len(found) > 1:
        return kind(found)
    return found[0] if found else (not decides if any(isinstance(one, bool) for one in given) else None)


def _negated(condition: _Found) -> _Found:
    match condition:
        case None:
            return None
        case bool():
            return not condition
        case Not():
            return condition.condition
    return Not(condition)


def _items(node: Node) -> tuple[Node, ...]:
    return node.items if isinstance(node, Sequence) else ()


def _entries(node: Node) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, TreeMapping) else ()


def _words(node: Node) -> tuple[Scalar, ...]:
    """Return the words of a list, or the one that stands in its place."""
    return tuple(item for item in (_items(node) or (node,)) if isinstance(item, Scalar))
