"""Formulas of conditions, evaluated as GitLab does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import TypeAlias

from pipegen.importing.gitlab.reading.expressions.paths import match_any, variables_in
from pipegen.importing.globs import finds
from pipegen.structs import Struct

# A text that GitLab reads as a regular expression: `PATTERN` in `lib/gitlab/untrusted_regexp/ruby_syntax.rb` of GitLab.
_REGEX_TEXT = re.compile(r"/(.+)/([ismU]*)")


class VariableName(Struct):
    """A variable."""

    name: str


class LiteralText(Struct):
    """A text; None is null."""

    text: str | None


class Regex(Struct):
    """A regular expression with its flags."""

    source: str
    flags: str


Operand: TypeAlias = VariableName | LiteralText | Regex


class Comparison(Struct):
    """A comparison of two operands by `==` or `=~`; other signs are negations of them."""

    left: Operand
    sign: str
    right: Operand


class HasValue(Struct):
    """Whether a variable is set, to more than blanks."""

    name: str


class IsDefined(Struct):
    """Whether a variable is set, even to the empty text."""

    name: str


class IsRef(Struct):
    """Whether the branch or tag, not of a merge request, is *text* or matches the regular expression *regex*."""

    text: str
    regex: Regex | None = None


class Changed(Struct):
    """Whether a file that matches one of *patterns* has changed, since the branch *base* if there is one."""

    patterns: tuple[str, ...]
    base: str = ""


class Exist(Struct):
    """Whether a file that matches one of *patterns* exists."""

    patterns: tuple[str, ...]


class Known(Struct):
    """A known result."""

    is_true: bool


class Negation(Struct):
    """*part* does not hold."""

    part: Formula


class EveryOf(Struct):
    """All of *parts* hold."""

    parts: tuple[Formula, ...]


class SomeOf(Struct):
    """One of *parts* holds."""

    parts: tuple[Formula, ...]


Test: TypeAlias = Comparison | HasValue | IsDefined | IsRef | Changed | Exist
Formula: TypeAlias = Test | Known | Negation | EveryOf | SomeOf
TRUE, FALSE = Known(is_true=True), Known(is_true=False)


class Facts(Struct, kw_only=True):
    """What formulas are evaluated against: variables, and the files that have changed and that exist.

    None stands for all files that a formula names.
    """

    variables: Mapping[str, str]
    changed: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None


def tests_in(formula: Formula) -> Iterator[Formula]:
    """Yield the comparisons and other tests in *formula*."""
    match formula:
        case Negation():
            yield from tests_in(formula.part)
        case EveryOf() | SomeOf():
            for part in formula.parts:
                yield from tests_in(part)
        case _:
            yield formula


def tested_names(test: Formula) -> tuple[str, ...]:
    """Return the names of the variables that *test*, which has no parts, reads itself."""
    match test:
        case HasValue() | IsDefined():
            return (test.name,)
        case Comparison():
            return tuple(operand.name for operand in (test.left, test.right) if isinstance(operand, VariableName))
        case Changed() | Exist():
            return tuple(variables_in(test.patterns))
    return ()


def negated(formula: Formula) -> Formula:
    """Return the negation of *formula*."""
    match formula:
        case Known():
            return Known(not formula.is_true)
        case Negation():
            return formula.part
    return Negation(formula)


def every(*parts: Formula) -> Formula:
    """Return the conjunction of *parts*, flattened."""
    return _joined(parts, EveryOf, neutral=TRUE, deciding=FALSE)


def some(*parts: Formula) -> Formula:
    """Return the disjunction of *parts*, flattened."""
    return _joined(parts, SomeOf, neutral=FALSE, deciding=TRUE)


def _joined(
    parts: tuple[Formula, ...], kind: type[EveryOf | SomeOf], *, neutral: Formula, deciding: Formula
) -> Formula:
    """Return *parts* as one formula of *kind*: a *deciding* part decides alone, and *neutral* ones are dropped."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, kind) else (part,))]
    if deciding in flat:
        return deciding
    rest = tuple(dict.fromkeys(part for part in flat if part != neutral))
    return rest[0] if len(rest) == 1 else kind(rest) if rest else neutral


def searched(operand: Operand) -> Operand:
    """Return *operand* of `=~`, a text with slashes as a regular expression."""
    match = _REGEX_TEXT.fullmatch(operand.text or "") if isinstance(operand, LiteralText) else None
    return operand if match is None else Regex(match[1], match[2])


def holds(formula: Formula, facts: Facts) -> bool:
    """Return whether *formula* holds."""
    return holds_with(formula, partial(_is_true, facts))


def holds_with(formula: Formula, result_of: Callable[[Test], bool]) -> bool:
    """Return whether *formula* holds with *result_of* each of its tests."""
    match formula:
        case Known():
            return formula.is_true
        case Negation():
            return not holds_with(formula.part, result_of)
        case EveryOf():
            return all(holds_with(part, result_of) for part in formula.parts)
        case SomeOf():
            return any(holds_with(part, result_of) for part in formula.parts)
    return result_of(formula)


def _is_true(facts: Facts, test: Test) -> bool:
    match test:
        case HasValue() | IsDefined():
            value = facts.variables.get(test.name)
            return bool(value and value.strip()) if isinstance(test, HasValue) else value is not None
        case IsRef():
            return _is_ref(test, facts)
        case Changed():
            return _has_changed(test, facts)
        case Exist():
            return facts.files is None or match_any(test.patterns, facts.files, facts.variables)
        case Comparison():
            return _compares(test, facts)


def _compares(comparison: Comparison, facts: Facts) -> bool:
    left, right = _value(comparison.left, facts), comparison.right
    if comparison.sign == "==":
        return left == _value(right, facts)
    if isinstance(right, Regex):
        return searches(right, left or "")
    text = _value(right, facts)
    if text is None:
        return False
    if isinstance(regex := searched(LiteralText(text)), Regex):
        return searches(regex, left or "")
    # GitLab looks for the left side in a text that is not a regular expression.
    return (left or "") in text


def _value(operand: Operand, facts: Facts) -> str | None:
    match operand:
        case VariableName():
            return facts.variables.get(operand.name)
        case LiteralText():
            return operand.text
    return f"/{operand.source}/{operand.flags}"


def searches(regex: Regex, text: str) -> bool:
    """Return whether *regex* matches a part of *text*; an expression that a config cannot have matches nothing."""
    return _searches(regex.source, regex.flags, text)


# The rules of many jobs search the same few values of an event.
@lru_cache(maxsize=20_000)
def _searches(source: str, flags: str, text: str) -> bool:
    source = source.replace(r"\/", "/").replace(r"\Z", r"\z")
    return finds(("(?i)" if "i" in flags else "") + source, text)


def _is_ref(ref: IsRef, facts: Facts) -> bool:
    if facts.variables.get("CI_MERGE_REQUEST_IID"):
        return False
    name = facts.variables.get("CI_COMMIT_REF_NAME", "")
    return searches(ref.regex, name) if ref.regex is not None else ref.text == name


def _has_changed(changed: Changed, facts: Facts) -> bool:
    is_compared = facts.variables.get("CI_PIPELINE_SOURCE") == "merge_request_event" or (
        facts.variables.get("CI_PIPELINE_SOURCE") == "push" and not facts.variables.get("CI_COMMIT_TAG")
    )
    if facts.changed is None or not (is_compared or changed.base):
        return True
    return match_any(changed.patterns, facts.changed, facts.variables)
