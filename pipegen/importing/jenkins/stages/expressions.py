"""Boolean expressions of Groovy as tests of a build's facts."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TypeGuard

from pipegen.importing.jenkins.reading.syntax import GroovyConstant, constant
from pipegen.importing.jenkins.stages.build_tests import (
    NOT_BLANK,
    TRUE,
    AllTests,
    AnyTest,
    BuildTest,
    BuildVariable,
    Comparator,
    EqualVariables,
    FoundPath,
    NoTest,
    VariableComparison,
)
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens, TokenKind
from pipegen.source.tree import whole_number

# The result of the build before a stage runs: later stages do not run after a failure.
_RESULT = re.compile(r"currentBuild\.(?:result|currentResult)")
_NULL = GroovyConstant(None)
_GOOD_RESULTS = ("SUCCESS", _NULL)
# Words of a file whose steps may change the result, and let the build go on.
_UNSTABLE = frozenset({"UNSTABLE", "unstable", "warnError"})
_WORDS = {"true": GroovyConstant(True), "false": GroovyConstant(False), "null": _NULL}
_METHODS = {
    "startsWith": Comparator.PREFIX,
    "endsWith": Comparator.SUFFIX,
    "contains": Comparator.CONTAINS,
    "matches": Comparator.REGEX,
    "equals": Comparator.EQUALS,
}
# A text with only a variable in it.
_INSERTED = re.compile(r"\$(?P<brace>\{)?(?P<name>(?:(?:env|params)\.)?[A-Za-z_]\w*)(?(brace)\})")
_MOST_TOKENS = 400


class ExpressionReader:
    """Reads a boolean expression of Groovy from the tokens from *index* up to, but not including, *end*.

    *local* are names of variables of its block.
    """

    def __init__(self, code: GroovyTokens, index: int, end: int, local: Collection[str] = ()) -> None:
        self._local = local
        self._code = code
        self._index = index
        self._end = end

    def test(self) -> BuildTest:
        """Return the expression; raise `UntranslatableError` for anything but comparisons of variables."""
        if self._end - self._index > _MOST_TOKENS:
            raise UntranslatableError("it is long")
        if self._code.is_word(self._index, "return"):
            self._index += 1
        test = self._any()
        if self._index < self._end and not self._accept(";"):
            raise self._other()
        return test

    def _any(self) -> BuildTest:
        tests = [self._all()]
        while self._accept("|", "|"):
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else AnyTest(_without_empty(tests, is_any=True))

    def _all(self) -> BuildTest:
        tests = [self._single()]
        while self._accept("&", "&"):
            tests.append(self._single())
        return tests[0] if len(tests) == 1 else AllTests(_without_empty(tests, is_any=False))

    def _single(self) -> BuildTest:
        if self._code.is_sign(self._index, "!") and not self._code.is_sign(self._index + 1, "="):
            self._index += 1
            return NoTest(self._single())
        if self._accept("("):
            test = self._any()
            if not self._accept(")"):
                raise self._other()
            return test
        return self._comparison()

    def _comparison(self) -> BuildTest:
        value = self._constant()
        if value is not None:
            sign = self._sign()
            if not sign and isinstance(value, GroovyConstant) and value != _NULL:
                return TRUE if value.value else AnyTest()
            # The variable is on the right side.
            return self._compared(self._subject(), sign, value)
        if self._code.is_word(self._index, "fileExists"):
            return self._file_exists()
        if (test := self._inserted()) is not None:
            return test
        subject = self._subject()
        return self._called(subject) or self._signed(subject)

    def _inserted(self) -> BuildTest | None:
        """Return the comparison of a text with only a variable in it (`"${params.NAME}" == 'text'`); None for others.

        Groovy inserts "null" for a variable without a value.
        """
        token = self._code.tokens[self._index]
        inserted = _INSERTED.fullmatch(token.text) if token.kind is TokenKind.EXPRESSION else None
        if inserted is None or not self._is_known(inserted["name"].split(".")):
            return None
        self._index += 1
        sign, value = self._sign(), self._constant()
        if sign not in ("==", "!=") or not isinstance(value, str) or value in ("", "null"):
            raise self._other()
        return self._compared(inserted["name"], sign, value)

    def _called(self, subject: str) -> BuildTest | None:
        """Return the test by a method of *subject*; None if no method is called."""
        for name, comparator in _METHODS.items():
            if self._accept(".", name, "("):
                return self._method(subject, comparator)
        if self._accept(".", "isEmpty", "(", ")"):
            return VariableComparison(variable_of(subject), Comparator.EQUALS)
        if self._accept("?", ".", "trim", "(", ")"):
            if self._code.is_sign(self._index, "=") or self._code.is_sign(self._index, "!"):
                raise self._other()
            return VariableComparison(variable_of(subject), Comparator.SEARCH, NOT_BLANK)
        if self._accept(".", "toBoolean", "(", ")"):
            return VariableComparison(variable_of(subject), Comparator.TO_BOOLEAN, "true")
        if self._code.is_word(self._index, "in"):
            self._index += 1
            return self._one_of(subject)
        return None

    def _signed(self, subject: str) -> BuildTest:
        sign = self._sign()
        other = self._constant() if sign else ""
        return self._equal(subject, sign) if other is None else self._compared(subject, sign, other)

    def _equal(self, subject: str, sign: str) -> BuildTest:
        """Return the comparison of *subject* with the variable at the index."""
        subjects = subject, self._subject()
        if sign not in ("==", "!=") or any(map(_RESULT.fullmatch, subjects)):
            raise self._other()
        test = EqualVariables((variable_of(subjects[0]), variable_of(subjects[1])))
        return NoTest(test) if sign == "!=" else test

    def _compared(self, subject: str, sign: str, value: str | GroovyConstant) -> BuildTest:
        if _RESULT.fullmatch(subject):
            if sign == "==" and value in _GOOD_RESULTS:
                if any(token.text in _UNSTABLE for token in self._code.tokens):
                    raise UntranslatableError("steps of Jenkins may make the build unstable")
                return TRUE
            raise UntranslatableError("a config does not know the result of a build that is still running")
        variable = variable_of(subject)
        if not sign:
            return VariableComparison(variable, Comparator.IS_SET)
        comparators = {"==~": Comparator.REGEX, "=~": Comparator.SEARCH}
        if isinstance(value, str):
            test = VariableComparison(variable, comparators.get(sign, Comparator.EQUALS), value)
        elif sign in comparators:
            raise self._other()
        else:
            test = VariableComparison(variable, _comparator_with(value), constant(value) or "")
        return NoTest(test) if sign == "!=" else test

    def _method(self, subject: str, comparator: Comparator) -> BuildTest:
        text = self._constant()
        if not isinstance(text, str) or not self._accept(")"):
            raise self._other()
        return VariableComparison(variable_of(subject), comparator, text)

    def _one_of(self, subject: str) -> BuildTest:
        tests: list[BuildTest] = []
        if self._accept("["):
            while not self._accept("]"):
                value = self._constant()
                if value is None:
                    raise self._other()
                tests.append(self._compared(subject, "==", value))
                self._accept(",")
        return AnyTest(_without_empty(tests, is_any=True))

    def _file_exists(self) -> BuildTest:
        self._index += 1
        has_parentheses = self._accept("(")
        path = self._constant()
        if not isinstance(path, str) or (has_parentheses and not self._accept(")")):
            raise self._other()
        return FoundPath(path)

    def _subject(self) -> str:
        """Return the variable at the index, such as `env.NAME`."""
        code, parts = self._code, [self._code.word(self._index)]
        if not parts[0]:
            raise self._other()
        self._index += 1
        if (
            parts[0] in ("env", "params", "currentBuild")
            and code.is_sign(self._index, ".")
            and code.word(self._index + 1)
        ):
            parts.append(code.word(self._index + 1))
            self._index += 2
        if self._code.is_sign(self._index, "(") or not self._is_known(parts):
            raise self._other()
        subject = ".".join(parts)
        if parts[0] == "currentBuild" and not _RESULT.fullmatch(subject):
            raise self._other()
        return subject

    def _is_known(self, parts: Sequence[str]) -> bool:
        """Return whether *parts*, separated by dots, are the name of a variable."""
        return len(parts) > 1 or parts[0].isupper() or parts[0] in self._local

    def _constant(self) -> str | GroovyConstant | None:
        """Return the text, boolean or null at the index; None if there is none."""
        if self._index >= self._end:
            return None
        token = self._code.tokens[self._index]
        value: str | GroovyConstant | None
        if token.kind is TokenKind.TEXT:
            value = token.text
        elif token.kind is TokenKind.EXPRESSION and token.text.startswith("/"):
            value = token.text[1:-1].replace("\\/", "/")
        else:
            number = whole_number(token.text) if self._local else None
            value = _WORDS.get(token.text) if number is None else GroovyConstant(number)
        self._index += value is not None
        return value

    def _sign(self) -> str:
        for sign in ("==~", "==", "!=", "=~"):
            if self._accept(*sign):
                return sign
        return ""

    def _accept(self, *texts: str) -> bool:
        """Return whether the tokens at the index are *texts*, and go after them."""
        if self._index + len(texts) > self._end:
            return False
        tokens = self._code.tokens[self._index : self._index + len(texts)]
        if any(token.text != text or token.kind is TokenKind.TEXT for token, text in zip(tokens, texts, strict=True)):
            return False
        self._index += len(texts)
        return True

    def _other(self) -> UntranslatableError:
        return UntranslatableError("it contains Groovy other than comparisons of variables")


def _comparator_with(value: GroovyConstant) -> Comparator:
    """Return how a variable is compared with *value*."""
    if isinstance(value.value, bool):
        return Comparator.IS_BOOLEAN
    return Comparator.IS_NULL if value == _NULL else Comparator.IS_NUMBER


def variable_of(subject: str) -> BuildVariable:
    """Return the variable *subject*, such as `env.NAME` or `params.NAME`."""
    return BuildVariable(subject.rpartition(".")[2], subject.startswith("params."), "." not in subject)


def _without_empty(tests: Sequence[BuildTest], *, is_any: bool) -> tuple[BuildTest, ...]:
    """Return *tests*, of which all, or one if *is_any*, must hold, with one in place of those for null and "".

    A config does not tell these two apart: `env.A == null || env.A == ''` means that a variable is not set.
    """
    result = list(tests)
    for test in tests:
        variable = next(
            (each.variable for each in (test, getattr(test, "test", None)) if _is_of_environment(each)), None
        )
        if variable is None:
            continue
        is_set = VariableComparison(variable, Comparator.IS_SET)
        null, empty = (
            VariableComparison(variable, Comparator.IS_NULL, "null"),
            VariableComparison(variable, Comparator.EQUALS),
        )
        whole, parts = (NoTest(is_set), (null, empty)) if is_any else (is_set, (NoTest(null), NoTest(empty)))
        if whole in result or all(part in result for part in parts):
            result = [whole if each in parts else each for each in result]
    return tuple(dict.fromkeys(result))


def _is_of_environment(test: object) -> TypeGuard[VariableComparison]:
    return isinstance(test, VariableComparison) and not test.variable.is_parameter
