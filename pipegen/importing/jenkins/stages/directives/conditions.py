"""The conditions of a Jenkinsfile: `when` and `expression` as tests of a build's facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from pipegen.importing.jenkins.reading.statements import GroovyReader
from pipegen.importing.jenkins.reading.syntax import (
    GroovyBlock,
    GroovyCall,
    GroovyPart,
    GroovyText,
    Value,
    constant,
)
from pipegen.importing.jenkins.stages.build_tests import (
    AllTests,
    AnyTest,
    BuildTest,
    BuildVariable,
    Caused,
    ChangedPath,
    Comparator,
    EqualVariables,
    NoTest,
    VariableComparison,
)
from pipegen.importing.jenkins.stages.expressions import ExpressionReader, variable_of
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens

# Directives of `when` that decide only when the others are evaluated.
NEUTRAL = frozenset({"beforeAgent", "beforeInput", "beforeOptions"})
_COMPARATORS = {"GLOB": Comparator.GLOB, "EQUALS": Comparator.EQUALS, "REGEXP": Comparator.REGEX}
_CAUSES = ("TimerTriggerCause", "UserIdCause", "UpstreamCause", "BuildUpstreamCause", "RemoteCause", "SCMTriggerCause")
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
        other = variable_of(parameter)
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
    if parameter := _parameter(value):
        return parameter
    text = _text(call, name)
    return _quoted(text) if isinstance(value, GroovyText) else text


def _parameter(value: Value | None) -> str:
    """Return the parameter that is all of *value*, perhaps between quotes; "" if there is none.

    Other variables are not the same between quotes: null becomes a text.
    """
    match value:
        case GroovyPart(text) | GroovyText((GroovyPart(text),)):
            return text if text.startswith("params.") else ""
    return ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


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
