"""The conditions of a Jenkinsfile: `when` and `expression` as tests of a build's facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeGuard

from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyConstant,
    GroovyPart,
    GroovyText,
    Value,
    constant,
)
from pipegen.importing.jenkins.stages.build_tests import (
    TRUE,
    AllTests,
    AnyTest,
    BuildTest,
    BuildVariable,
    Caused,
    ChangedPath,
    Comparator,
    EqualVariables,
    FoundPath,
    NoTest,
    VariableComparison,
)
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens, TokenKind

# Directives of `when` that decide only when the others are evaluated.
NEUTRAL = frozenset({"beforeAgent", "beforeInput", "beforeOptions"})
_COMPARATORS = {"GLOB": Comparator.GLOB, "EQUALS": Comparator.EQUALS, "REGEXP": Comparator.REGEX}
_CAUSES = ("TimerTriggerCause", "UserIdCause", "UpstreamCause", "BuildUpstreamCause", "RemoteCause", "SCMTriggerCause")
# The result of the build before a stage runs: later stages do not run after a failure.
_RESULT = re.compile(r"currentBuild\.(?:result|currentResult)")
_NULL = GroovyConstant(None)
_GOOD_RESULTS = ("SUCCESS", _NULL)
_WORDS = {"true": GroovyConstant(True), "false": GroovyConstant(False), "null": _NULL}
_METHODS = {"startsWith": Comparator.PREFIX, "matches": Comparator.REGEX, "equals": Comparator.EQUALS}
_MOST_TOKENS = 400
_BRANCH = BuildVariable("BRANCH_NAME")
_TAG = BuildVariable("TAG_NAME")


class ConditionReader:
    """Reads the directives of `when`."""

    def __init__(self, reader: GroovyReader, code: GroovyTokens) -> None:
        self._reader = reader
        self._code = code

    def when(self, block: GroovyBlock) -> BuildTest:
        """Return the condition of a block `when` or `allOf`; raise `UntranslatableError` for other Groovy."""
        return AllTests(tuple(self._tests(block)))

    def _tests(self, block: GroovyBlock) -> Iterator[BuildTest]:
        for statement in block.statements:
            if not isinstance(statement, GroovyCall):
                raise UntranslatableError("it contains Groovy")
            if statement.name not in NEUTRAL:
                yield self.directive(statement)

    def directive(self, call: GroovyCall) -> BuildTest:
        """Return the condition of one directive; raise `UntranslatableError` for other Groovy."""
        directive = _DIRECTIVES.get(call.name)
        if directive is not None:
            return directive(call)
        block = call.block
        if block is None:
            raise UntranslatableError(f'a config has no condition "{call.name}"')
        match call.name:
            case "not":
                return NoTest(self.when(block))
            case "anyOf":
                return AnyTest(tuple(self._tests(block)))
            case "allOf":
                return self.when(block)
            case "expression":
                return ExpressionReader(self._code, block.index + 1, self._code.end_of(block.index)).test()
        raise UntranslatableError(f'a config has no condition "{call.name}"')


def _text(call: GroovyCall, *names: str) -> str:
    argument = call.argument(*names)
    text = constant(argument.value) if argument is not None else None
    if text is None:
        raise UntranslatableError(f'the value of "{call.name}" is known only at run time')
    return text


def _compared(variable: BuildVariable) -> Callable[[GroovyCall], BuildTest]:
    def test(call: GroovyCall) -> BuildTest:
        if not call.arguments:
            return VariableComparison(variable, Comparator.IS_SET)
        comparator = _COMPARATORS.get(_text(call, "comparator") if call.argument("comparator") else "GLOB")
        if comparator is None:
            raise UntranslatableError("it has an unknown comparator")
        return VariableComparison(variable, comparator, _text(call, "", "pattern"))

    return test


def _change_request(call: GroovyCall) -> BuildTest:
    tests: list[BuildTest] = [VariableComparison(BuildVariable("CHANGE_ID"), Comparator.IS_SET)]
    comparator = _COMPARATORS.get(_text(call, "comparator") if call.argument("comparator") else "EQUALS")
    for name, variable in (("target", "CHANGE_TARGET"), ("branch", "CHANGE_BRANCH"), ("author", "CHANGE_AUTHOR")):
        if call.argument(name) is not None and comparator is not None:
            tests.append(VariableComparison(BuildVariable(variable), comparator, _text(call, name)))
    names = {argument.name for argument in call.arguments}
    if names - {"target", "branch", "author", "comparator"} or comparator is None:
        raise UntranslatableError("a config does not know more of a change request")
    return AllTests(tuple(tests))


def _triggered_by(call: GroovyCall) -> BuildTest:
    cause = _text(call, "", "cause").rpartition(".")[2].rpartition("$")[2]
    known = next((name for name in _CAUSES if name in (cause, f"{cause}Cause")), None)
    if known is None or call.argument("detail") is not None:
        raise UntranslatableError(f'a config does not know the cause "{cause}"')
    return Caused(known)


def _changeset(call: GroovyCall) -> BuildTest:
    if call.argument("comparator") is not None or call.argument("caseSensitive") is not None:
        raise UntranslatableError("a config compares paths with globs")
    return ChangedPath(_text(call, "", "glob", "pattern"))


def _equals(call: GroovyCall) -> BuildTest:
    code = GroovyTokens(f"{_operand(call, 'actual')} == {_operand(call, 'expected')}")
    return ExpressionReader(code, 0, code.size).test()


def _environment(call: GroovyCall) -> BuildTest:
    variable, value = BuildVariable(_text(call, "name")), call.argument("value")
    parameter = _parameter(value.value) if value is not None else ""
    ignores_case = call.argument("ignoreCase") is not None and _text(call, "ignoreCase") == "true"
    # Jenkins compares a variable that is not set as the empty text.
    is_unset = NoTest(VariableComparison(variable, Comparator.IS_SET))
    if parameter and not ignores_case:
        other = _variable(parameter)
        both = AllTests((is_unset, NoTest(VariableComparison(other, Comparator.IS_SET))))
        return AnyTest((EqualVariables((variable, other)), both))
    text = _text(call, "value")
    if ignores_case and text:
        return VariableComparison(variable, Comparator.REGEX, re.sub("[A-Za-z]", _both_cases, re.escape(text)))
    return VariableComparison(variable, Comparator.EQUALS, text) if text else is_unset


def _both_cases(letter: re.Match[str]) -> str:
    return f"[{letter[0].lower()}{letter[0].upper()}]"


def _operand(call: GroovyCall, name: str) -> str:
    """Return an argument of *call* as an operand of an expression."""
    argument = call.argument(name)
    value = argument.value if argument is not None else None
    if isinstance(value, GroovyPart):
        return value.text
    text = _parameter(value) or _text(call, name)
    return _quoted(text) if isinstance(value, GroovyText) and not _parameter(value) else text


def _parameter(value: Value | None) -> str:
    """Return the parameter that is all of *value*, perhaps between quotes; "" if there is none.

    Other variables are not the same between quotes: null becomes a text.
    """
    match value:
        case GroovyPart(text) | GroovyText((GroovyPart(text),)):
            return text if text.startswith("params.") else ""
    return ""


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


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _variable(subject: str) -> BuildVariable:
    """Return the variable *subject*, such as `env.NAME` or `params.NAME`."""
    return BuildVariable(subject.rpartition(".")[2], subject.startswith("params."))


_DIRECTIVES: Mapping[str, Callable[[GroovyCall], BuildTest]] = {
    "branch": _compared(_BRANCH),
    "tag": _compared(_TAG),
    "buildingTag": _compared(_TAG),
    "changeRequest": _change_request,
    "triggeredBy": _triggered_by,
    "changeset": _changeset,
    "environment": _environment,
    "equals": _equals,
}


class ExpressionReader:
    """Reads a boolean expression of Groovy from the tokens from *index* up to, but not including, *end*."""

    def __init__(self, code: GroovyTokens, index: int, end: int) -> None:
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
        subject = self._subject()
        return self._called(subject) or self._signed(subject)

    def _called(self, subject: str) -> BuildTest | None:
        """Return the test by a method of *subject*; None if no method is called."""
        for name, comparator in _METHODS.items():
            if self._accept(".", name, "("):
                return self._method(subject, comparator)
        if self._accept(".", "toBoolean", "(", ")"):
            return VariableComparison(_variable(subject), Comparator.TO_BOOLEAN, "true")
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
        test = EqualVariables((_variable(subjects[0]), _variable(subjects[1])))
        return NoTest(test) if sign == "!=" else test

    def _compared(self, subject: str, sign: str, value: str | GroovyConstant) -> BuildTest:
        if _RESULT.fullmatch(subject):
            if sign == "==" and value in _GOOD_RESULTS:
                return TRUE
            raise UntranslatableError("a config does not know the result of a build that goes on")
        variable = _variable(subject)
        if not sign:
            return VariableComparison(variable, Comparator.IS_SET)
        comparators = {"==~": Comparator.REGEX, "=~": Comparator.SEARCH}
        if isinstance(value, str):
            test = VariableComparison(variable, comparators.get(sign, Comparator.EQUALS), value)
        elif sign in comparators:
            raise self._other()
        else:
            comparator = Comparator.IS_NULL if value == _NULL else Comparator.IS_BOOLEAN
            test = VariableComparison(variable, comparator, constant(value) or "")
        return NoTest(test) if sign == "!=" else test

    def _method(self, subject: str, comparator: Comparator) -> BuildTest:
        text = self._constant()
        if not isinstance(text, str) or not self._accept(")"):
            raise self._other()
        return VariableComparison(_variable(subject), comparator, text)

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
        if self._code.is_sign(self._index, "(") or (len(parts) == 1 and not parts[0].isupper()):
            raise self._other()
        return ".".join(parts)

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
            value = _WORDS.get(token.text)
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
