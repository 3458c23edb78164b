"""The expressions of `rules: if`: parsed, and evaluated as GitLab does.

https://docs.gitlab.com/ci/jobs/job_rules/#cicd-variable-expressions
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from pipegen.importing.gitlab.reading.paths import match_any, variables_in
from pipegen.importing.globs import finds
from pipegen.structs import MutableStruct, Struct

# GitLab accepts no regular expression of one character: `lib/gitlab/ci/pipeline/expression/lexeme/pattern.rb`.
_TOKEN = re.compile(
    r"\s*(?:(?P<sign>\(|\)|&&|\|\||==|!=|=~|!~|!)|\$(?P<variable>\w+)|\"(?P<double>[^\"]*)\""
    r"|'(?P<single>[^']*)'|/(?P<regex>(?:[^/\\\n]|\\.){2,}|\\.)/(?P<flags>[imsU]*)|(?P<null>null)\b"
    r"|(?P<boolean>true|false)\b)"
)

# A text that GitLab reads as a regular expression: `PATTERN` in `lib/gitlab/untrusted_regexp/ruby_syntax.rb` of GitLab.
_REGEX_TEXT = re.compile(r"/(.+)/([ismU]*)")
# GitLab sets none of its own variables to the empty text.
_PREDEFINED = ("CI_", "GITLAB_")
# Longer or deeper expressions are not read.
_MOST_OPERANDS, _MOST_LEVELS = 500, 50


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
    """Whether a variable is set, be it empty."""

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


Formula: TypeAlias = Comparison | HasValue | IsDefined | IsRef | Changed | Exist | Known | Negation | EveryOf | SomeOf
TRUE, FALSE = Known(is_true=True), Known(is_true=False)


class Facts(Struct, kw_only=True):
    """What formulas are evaluated against: variables, and the files that have changed and that exist.

    None stands for all files that a formula names.
    """

    variables: Mapping[str, str]
    changed: tuple[str, ...] | None = None
    files: tuple[str, ...] | None = None


class ExpressionError(ValueError):
    """Text that is not an expression."""


class UnreadExpressionError(ExpressionError):
    """An expression of GitLab that is not read."""


# Most jobs of a pipeline have the same few conditions, and rules are read for several purposes.
@lru_cache(maxsize=2_000)
def parsed(text: str) -> Formula:
    """Return the expression *text*; raise `ExpressionError` if it is none."""
    reader = _Reader(text)
    result = reader.either()
    if text[reader.at :].strip():
        raise ExpressionError(text[reader.at :].strip())
    return result.holds


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


class _Result(Struct):
    """Whether a part of an expression is neither null nor false, and whether it *holds*: is not empty either."""

    is_set: Formula
    holds: Formula


def _decided(formula: Formula) -> _Result:
    """Return the result of a part that is true or false."""
    return _Result(formula, formula)


class _Reader(MutableStruct):
    """Parses an expression from *at*, with a number of *operands*, in parentheses at a *level*.

    As in Ruby, the empty text counts as true before `&&` and `||`, although it does not hold: `Lexeme::And` and
    `Lexeme::Or` in `lib/gitlab/ci/pipeline/expression` of GitLab.
    """

    text: str
    at: int = 0
    operands: int = 0
    level: int = 0

    def either(self) -> _Result:
        result = self._both()
        while self._take("||"):
            left, right = result, self._both()
            other = right.holds if left.is_set == left.holds else every(negated(left.is_set), right.holds)
            result = _Result(some(left.is_set, right.is_set), some(left.holds, other))
        return result

    def _both(self) -> _Result:
        result = self._comparison()
        while self._take("&&"):
            right = self._comparison()
            result = _Result(every(result.is_set, right.is_set), every(result.is_set, right.holds))
        return result

    def _comparison(self) -> _Result:
        if (part := self._part()) is not None:
            return part
        left = self._operand()
        for sign in ("==", "!=", "=~", "!~"):
            if self._take(sign):
                right = self._operand() if sign in ("==", "!=") else _searched(self._operand())
                comparison = Comparison(left, {"!=": "==", "!~": "=~"}.get(sign, sign), right)
                return _decided(Negation(comparison) if sign in ("!=", "!~") else comparison)
        return self._alone(left)

    def _alone(self, operand: Operand) -> _Result:
        """Return the result of *operand*, which ends here, without a comparison."""
        match operand:
            case VariableName(name):
                has_value = HasValue(name)
                return _Result(has_value if name.startswith(_PREDEFINED) else IsDefined(name), has_value)
            case LiteralText(text):
                if self.text[: self.at].endswith(("true", "false")):
                    return _decided(Known(text == "true"))
                return _Result(Known(text is not None), Known(bool(text)))
        raise ExpressionError(self.text)

    def _part(self) -> _Result | None:
        """Return a negated part or one in parentheses, None if there is none."""
        is_negated = self._take("!")
        if not is_negated and not self._take("("):
            return None
        self.level += 1
        if self.level > _MOST_LEVELS:
            raise UnreadExpressionError("with many parentheses")
        if is_negated:
            part = self._part() or self._alone(self._operand())
            part = _decided(negated(part.holds))
        else:
            part = self.either()
            if not self._take(")"):
                raise ExpressionError(self.text[self.at :])
        self.level -= 1
        return part

    def _operand(self) -> Operand:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"]:
            raise ExpressionError(self.text[self.at :])
        self.at = match.end()
        self.operands += 1
        if self.operands > _MOST_OPERANDS:
            raise UnreadExpressionError(f"with more than {_MOST_OPERANDS} operands")
        if match["variable"]:
            return VariableName(match["variable"])
        if match["regex"]:
            return Regex(match["regex"], match["flags"])
        if match["null"]:
            return LiteralText(None)
        # A boolean is compared as text.
        texts = (match["double"], match["single"], match["boolean"])
        return LiteralText(next(text for text in texts if text is not None))

    def _take(self, sign: str) -> bool:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"] != sign:
            return False
        self.at = match.end()
        return True


def _searched(operand: Operand) -> Operand:
    """Return *operand* of `=~`, a text with slashes as a regular expression."""
    match = _REGEX_TEXT.fullmatch(operand.text or "") if isinstance(operand, LiteralText) else None
    return operand if match is None else Regex(match[1], match[2])


def holds(formula: Formula, facts: Facts) -> bool:  # noqa: PLR0911 - one for each kind
    """Return whether *formula* holds."""
    match formula:
        case Known():
            return formula.is_true
        case Negation():
            return not holds(formula.part, facts)
        case EveryOf():
            return all(holds(part, facts) for part in formula.parts)
        case SomeOf():
            return any(holds(part, facts) for part in formula.parts)
        case HasValue() | IsDefined():
            value = facts.variables.get(formula.name)
            return bool(value and value.strip()) if isinstance(formula, HasValue) else value is not None
        case IsRef():
            return _is_ref(formula, facts)
        case Changed():
            return _has_changed(formula, facts)
        case Exist():
            return facts.files is None or match_any(formula.patterns, facts.files, facts.variables)
        case Comparison():
            return _compares(formula, facts)


def _compares(comparison: Comparison, facts: Facts) -> bool:
    left, right = _value(comparison.left, facts), comparison.right
    if comparison.sign == "==":
        return left == _value(right, facts)
    if isinstance(right, Regex):
        return searches(right, left or "")
    text = _value(right, facts)
    if text is None:
        return False
    if isinstance(regex := _searched(LiteralText(text)), Regex):
        return searches(regex, left or "")
    # GitLab looks for the left side in a text that is no regular expression.
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
