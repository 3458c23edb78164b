"""The parser of expressions in `rules: if`.

https://docs.gitlab.com/ci/jobs/job_rules/#cicd-variable-expressions
"""

from __future__ import annotations

import re
from functools import lru_cache

from pipegen.importing.gitlab.reading.expressions.formulas import (
    TRUE,
    Comparison,
    Formula,
    HasValue,
    IsDefined,
    Known,
    LiteralText,
    Operand,
    Regex,
    VariableName,
    every,
    negated,
    searched,
    some,
)
from pipegen.plan.regexes.subset import refused_by_re2
from pipegen.structs import MutableStruct, Struct, replace

# GitLab accepts no regular expression of one character: `lib/gitlab/ci/pipeline/expression/lexeme/pattern.rb`.
_TOKEN = re.compile(
    r"\s*(?:(?P<sign>\(|\)|&&|\|\||==|!=|=~|!~|!)|\$(?P<variable>\w+)|\"(?P<double>[^\"]*)\""
    r"|'(?P<single>[^']*)'|/(?P<regex>(?:[^/\\\n]|\\.){2,}|\\.)/(?P<flags>[imsU]*)|(?P<null>null)\b"
    r"|(?P<boolean>true|false)\b)"
)

# GitLab sets none of its own variables to the empty text.
_PREDEFINED = ("CI_", "GITLAB_")
# `MAX_TOKENS` in `lib/gitlab/ci/pipeline/expression/lexer.rb` of GitLab, which must also find the end.
_MOST_TOKENS = 99


class ExpressionError(ValueError):
    """Text that is not an expression."""


class RefusedExpressionError(ExpressionError):
    """An expression that GitLab refuses for a *reason*."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UnreadExpressionError(ExpressionError):
    """An expression of GitLab that is not read."""


# Most jobs of a pipeline have the same few conditions, and rules are read for several purposes.
@lru_cache(maxsize=2_000)
def parsed(text: str) -> Formula:
    """Return the expression *text*; raise `ExpressionError` if it is not one."""
    reader = _Reader(text)
    result = reader.either()
    if text[reader.at :].strip():
        raise ExpressionError(text[reader.at :].strip())
    return result.holds


class _Result(Struct, kw_only=True):
    """Whether a part of an expression is neither null nor false, and whether it *holds*: is not empty either.

    Its value is that of *operand*, or whether it holds if it *is_boolean*.
    """

    is_set: Formula
    holds: Formula
    operand: Operand | None = None
    is_boolean: bool = False


def _decided(formula: Formula) -> _Result:
    """Return the result of a part that is true or false."""
    return _Result(is_set=formula, holds=formula, is_boolean=True)


class _Reader(MutableStruct):
    """Parses an expression from *at*, after a number of *tokens*.

    As in Ruby, the empty text counts as true before `&&` and `||`, although it does not hold: `Lexeme::And` and
    `Lexeme::Or` in `lib/gitlab/ci/pipeline/expression` of GitLab.
    """

    text: str
    at: int = 0
    tokens: int = 0

    def either(self) -> _Result:
        result = self._both()
        while self._take("||"):
            left, right = result, self._both()
            other = right.holds if left.is_set == left.holds else every(negated(left.is_set), right.holds)
            result = _Result(
                is_set=some(left.is_set, right.is_set),
                holds=some(left.holds, other),
                is_boolean=left.is_boolean and right.is_boolean,
            )
        return result

    def _both(self) -> _Result:
        result = self._comparison()
        while self._take("&&"):
            left, right = result, self._comparison()
            result = _Result(
                is_set=every(left.is_set, right.is_set),
                holds=every(left.is_set, right.holds),
                is_boolean=left.is_boolean and right.is_boolean,
            )
        return result

    def _comparison(self) -> _Result:
        """Return the result of comparisons, the first of which is the left side of the second."""
        result = self._part()
        while sign := next(filter(self._take, ("==", "!=", "=~", "!~")), ""):
            comparison = _compared(result, {"!=": "==", "!~": "=~"}.get(sign, sign), self._part())
            result = _decided(negated(comparison) if sign in ("!=", "!~") else comparison)
        return result

    def _part(self) -> _Result:
        """Return the result of an operand, a negation, or an expression in parentheses."""
        is_negated = self._take("!")
        if not is_negated and not self._take("("):
            return self._alone(self._operand())
        if is_negated:
            return _decided(negated(self._part().holds))
        part = self.either()
        if not self._take(")"):
            raise ExpressionError(self.text[self.at :])
        return part

    def _alone(self, operand: Operand) -> _Result:
        """Return the result of *operand*, which ends here."""
        match operand:
            case VariableName(name):
                has_value = HasValue(name)
                is_set = has_value if name.startswith(_PREDEFINED) else IsDefined(name)
                return _Result(is_set=is_set, holds=has_value, operand=operand)
            case LiteralText(text):
                if self.text[: self.at].endswith(("true", "false")):
                    return replace(_decided(Known(text == "true")), operand=operand)
                return _Result(is_set=Known(text is not None), holds=Known(bool(text)), operand=operand)
            case Regex():
                return _Result(is_set=TRUE, holds=TRUE, operand=operand)

    def _operand(self) -> Operand:
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"]:
            raise ExpressionError(self.text[self.at :])
        self._pass(match.end())
        if match["variable"]:
            return VariableName(match["variable"])
        if match["regex"]:
            if reason := refused_by_re2(match["regex"]):
                raise RefusedExpressionError(f"RE2 refuses its regular expression: {reason}")
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
        self._pass(match.end())
        return True

    def _pass(self, end: int) -> None:
        """Continue at *end*, after a token."""
        self.at = end
        self.tokens += 1
        if self.tokens > _MOST_TOKENS:
            raise RefusedExpressionError(f"it has more than {_MOST_TOKENS} operands, operators and parentheses")


def _compared(left: _Result, sign: str, right: _Result) -> Formula:
    """Return the comparison of two values by *sign*; GitLab compares a boolean as text, but not with null."""
    if left.operand is not None and right.operand is not None:
        return _comparison(left.operand, sign, right.operand)
    if sign == "==" and left.operand is not None:
        left, right = right, left
    has_value = right.operand is not None or (sign == "==" and right.is_boolean)
    if not (left.is_boolean and has_value):
        raise UnreadExpressionError("with comparisons of other expressions")
    if right.operand is None:
        true, false = right.holds, negated(right.holds)
    else:
        true, false = (_comparison(LiteralText(text), sign, right.operand) for text in ("true", "false"))
    return some(every(left.holds, true), every(negated(left.holds), false))


def _comparison(left: Operand, sign: str, right: Operand) -> Formula:
    return Comparison(left, sign, searched(right) if sign == "=~" else right)
