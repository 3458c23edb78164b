"""The forms that values of keys can have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import TypeAlias

from pipegen.diagnostics.report import listed, suggestion
from pipegen.importing.gitlab.reading.durations import seconds_in
from pipegen.importing.gitlab.reading.expressions.parser import (
    ExpressionError,
    RefusedExpressionError,
    UnreadExpressionError,
    parsed,
)
from pipegen.importing.gitlab.reading.tree import TagReference, text_of
from pipegen.plan.regexes.subset import refused_by_re2
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, Scalar, ScalarKind, Sequence, is_null, whole_number
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, replace

# https://docs.gitlab.com/ci/yaml/#artifactsexpire_in
_UNIT = re.compile(r"(?:s|m|h|d|w|y|mo|sec|min|hr|wk|yr|mon|second|minute|hour|day|week|fortnight|month|year)s?")
_NUMBER = re.compile(r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|\d", re.IGNORECASE)
# The limits of durations in seconds: GitLab takes a twelfth of a year for a month.
_LIMITS = {"1 week": 7 * 86_400, "1 month": 2_629_746}
_REGEX = re.compile(r"/(.*)/[ismU]*")
_IGNORED = frozenset({"and", "with", "plus"})


class Problem(Enum):
    """What is wrong with a key."""

    VALUE = "value"
    MISSING = "missing"
    UNKNOWN = "unknown"
    # Unknown, and like a known one.
    TYPO = "typo"


class Wrong(Struct):
    """A value, or a key, at *span* that GitLab refuses, with the reason, the text of a hint, and the *path* of keys.

    *entry* is the innermost key with it, None if GitLab accepts this key by itself.
    """

    span: Span
    reason: str
    hint: str
    path: tuple[str, ...] = ()
    entry: Entry | None = None
    problem: Problem = Problem.VALUE


# Yields what is wrong in a node that is not null.
Form: TypeAlias = Callable[[Node], Iterable[Wrong]]
NONE: tuple[Wrong, ...] = ()


def _wrong(node: Node, words: str) -> Iterator[Wrong]:
    yield Wrong(node.span, f"it is not {words}", f"write {words}")


def _is_known(node: Node) -> bool:
    """Return whether *node* has a value here: null has none, and others have references or unknown inputs."""
    return not is_null(node) and not isinstance(node, TagReference) and "$[[" not in text_of(node)


def is_text(node: Node) -> bool:
    """Return whether *node* is a text, also one without quotes."""
    return isinstance(node, Scalar) and node.kind is ScalarKind.TEXT


def text(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is not a text."""
    if isinstance(node, Scalar) and not is_text(node):
        kind = "a boolean" if node.kind is ScalarKind.BOOLEAN else "a number"
        yield Wrong(node.span, f"YAML reads it as {kind}, not as a text", "put it in quotes")
    elif not is_text(node):
        yield from _wrong(node, "a text")


def scalar(node: Node) -> Iterable[Wrong]:
    """Return why *node* is not a single value."""
    return NONE if isinstance(node, Scalar) else _wrong(node, "a text, a number or a boolean")


def boolean(node: Node) -> Iterable[Wrong]:
    """Return why *node* is not a boolean."""
    is_boolean = isinstance(node, Scalar) and node.kind is ScalarKind.BOOLEAN
    return NONE if is_boolean else _wrong(node, "true or false, without quotes")


def matching(pattern: str, words: str) -> Form:
    """Return the form of a text that *pattern* matches, as *words* say."""

    def form(node: Node) -> Iterable[Wrong]:
        if not is_text(node):
            return text(node)
        return NONE if re.fullmatch(pattern, text_of(node)) else _wrong(node, words)

    return form


def unquoted(inner: Form) -> Form:
    """Return *inner* for a number without quotes."""
    return lambda node: _wrong(node, "a number without quotes") if is_text(node) else inner(node)


def at_most(number_of_items: int, inner: Form) -> Form:
    """Return *inner* for a list with at most this number of items."""

    def form(node: Node) -> Iterator[Wrong]:
        if isinstance(node, Sequence) and len(node.items) > number_of_items:
            reason = f"it has {len(node.items)} items, and GitLab allows {number_of_items}"
            yield Wrong(node.span, reason, "remove some, or add them in another way")
        yield from inner(node)

    return form


def regex(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is not a regular expression: `RubySyntax` in `lib/gitlab/untrusted_regexp` of GitLab."""
    match = _REGEX.fullmatch(text_of(node))
    if match is None:
        yield from _wrong(node, "a regular expression between slashes")
    elif reason := refused_by_re2(match[1]):
        yield Wrong(node.span, f"RE2 refuses it: {reason}", "use the syntax of RE2")


def text_or_regex(node: Node) -> Iterable[Wrong]:
    """Return why *node* is neither a text nor a regular expression."""
    return (regex if is_text(node) and _REGEX.fullmatch(text_of(node)) else text)(node)


def expression(node: Node) -> Iterator[Wrong]:
    """Yield why *node* is not an expression of a rule."""
    try:
        parsed(" ".join(text_of(node).split("\n")))
    except UnreadExpressionError:
        return
    except RefusedExpressionError as error:
        yield Wrong(node.span, error.reason, "write another expression")
    except ExpressionError:
        yield from _wrong(node, "a complete expression")


def number(least: int, most: int) -> Form:
    """Return the form of a number from *least* to *most*."""

    def form(node: Node) -> Iterable[Wrong]:
        value = whole_number(text_of(node)) if isinstance(node, Scalar) else None
        is_within = value is not None and least <= value <= most
        return NONE if is_within else _wrong(node, f"a number from {least} to {most}")

    return form


def whole(node: Node) -> Iterable[Wrong]:
    """Return why *node* is not a whole number without quotes."""
    is_whole = isinstance(node, Scalar) and not is_text(node) and whole_number(text_of(node)) is not None
    return NONE if is_whole else _wrong(node, "a whole number")


def choice(*words: str) -> Form:
    """Return the form of one of *words*."""

    def form(node: Node) -> Iterable[Wrong]:
        return NONE if text_of(node) in words else _wrong(node, f"one of {listed(words)}")

    return form


def duration(
    *, may_be_endless: bool = False, may_be_zero: bool = False, has_variables: bool = True, longest: str = ""
) -> Form:
    """Return the form of a duration, at most the *longest*."""
    most = _LIMITS[longest] if longest else 0

    def form(node: Node) -> Iterable[Wrong]:
        words = text_of(node)
        if not is_text(node):
            return text(node)
        if (has_variables and "$" in words) or (may_be_endless and words.strip().lower() == "never"):
            return NONE
        seconds = seconds_in(words)
        if not _is_duration(words) or (seconds == 0 and not may_be_zero):
            return _wrong(node, 'a duration, such as "1 hour 30 minutes"')
        is_too_long = most and seconds is not None and seconds > most
        return (Wrong(node.span, f"it is longer than {longest}", f"write at most {longest}"),) if is_too_long else NONE

    return form


def _is_duration(text: str) -> bool:
    words = re.findall(r"[a-z]+", text.lower())
    units = [word for word in words if word not in _IGNORED and not _NUMBER.fullmatch(word)]
    return _NUMBER.search(text) is not None and all(_UNIT.fullmatch(unit) for unit in units)


def texts(*, may_be_single: bool = True, level: int = 1, item_form: Form = text) -> Form:
    """Return the form of a list of texts in *item_form*, whose items can be lists down to *level*."""

    def form(node: Node) -> Iterator[Wrong]:
        if may_be_single and is_text(node):
            return
        if not isinstance(node, Sequence):
            yield from _wrong(node, "a list of texts")
            return
        inner = texts(may_be_single=False, level=level - 1)
        for item in node.items:
            is_list = isinstance(item, Sequence) and level > 1
            yield from NONE if not _is_known(item) else inner(item) if is_list else item_form(item)

    return form


def sequence(item_form: Form) -> Form:
    """Return the form of a list, also of lists, as `!reference` leaves them."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, Sequence):
            yield from _wrong(node, "a list")
            return
        for item in node.items:
            yield from NONE if not _is_known(item) else (form if isinstance(item, Sequence) else item_form)(item)

    return form


def filled(inner: Form) -> Form:
    """Return *inner* for a value that cannot be empty; references to other files may have values."""

    def form(node: Node) -> Iterator[Wrong]:
        parts = node.items if isinstance(node, Sequence) else node.entries if isinstance(node, TreeMapping) else None
        is_blank = is_text(node) and not text_of(node).strip()
        if (parts == () or is_blank) and "!reference" not in node.span.text:
            yield Wrong(node.span, "it is empty", "remove it, or write a value")
        else:
            yield from inner(node)

    return form


def mapping(keys: Mapping[str, Form], *needed: tuple[str, ...]) -> Form:
    """Return the form of a map with *keys*, and at least one of each group of *needed* ones."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, TreeMapping):
            yield from _wrong(node, "a map")
            return
        for entry in node.entries:
            name, value = entry.key.text, entry.value
            if name not in keys:
                similar = suggestion(name, keys)
                hint = f'write "{similar}"' if similar else "remove it"
                problem = Problem.TYPO if similar else Problem.UNKNOWN
                yield Wrong(entry.key.span, "there is no such key", hint, (name,), entry, problem)
            elif _is_known(value):
                for wrong in keys[name](value):
                    yield replace(wrong, path=(name, *wrong.path), entry=wrong.entry or entry)
        for group in needed:
            if all(is_null(node.get(name)) for name in group):
                words = " or ".join(f'"{name}"' for name in group)
                yield Wrong(node.span, f"it has no {words}", f"add {words}", problem=Problem.MISSING)

    return form


def with_key(inner: Form, name: str) -> Form:
    """Return *inner*, a form of a map, with the key *name*, whose value can be null."""

    def form(node: Node) -> Iterator[Wrong]:
        yield from inner(node)
        if isinstance(node, TreeMapping) and node.entry(name) is None:
            yield Wrong(node.span, f'it has no "{name}"', f'add "{name}"')

    return form


def named(values: Form) -> Form:
    """Return the form of a map with names of the user as keys."""

    def form(node: Node) -> Iterator[Wrong]:
        if not isinstance(node, TreeMapping):
            yield from _wrong(node, "a map")
            return
        for entry in node.entries:
            for wrong in values(entry.value) if _is_known(entry.value) else NONE:
                yield replace(wrong, entry=wrong.entry or entry)

    return form


def mapping_or(inner: Form, other: Form) -> Form:
    """Return the form of a map as *inner*, or of another value as *other*."""
    return lambda node: (inner if isinstance(node, TreeMapping) else other)(node)


def list_or(inner: Form, other: Form) -> Form:
    """Return *inner* for a list, and *other* for a single value."""
    return lambda node: (inner if isinstance(node, Sequence) else other)(node)


def sequence_or(inner: Form, other: Form) -> Form:
    """Return the form of a list of *inner*, or of a single value as *other*."""
    return list_or(sequence(inner), other)


def anything(_: Node) -> Iterable[Wrong]:
    """Accept any value."""
    return iter(())


def anything_in(*names: str) -> Mapping[str, Form]:
    """Return the forms of keys with any value."""
    return dict.fromkeys(names, anything)
