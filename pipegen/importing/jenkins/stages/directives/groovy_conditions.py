"""Conditions of `when` as expressions in Groovy, for those that a config cannot say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pipegen.emit.groovy import literal
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, Statement
from pipegen.importing.jenkins.stages.build_tests import (
    AllTests,
    AnyTest,
    BuildTest,
    BuildVariable,
    Caused,
    Comparator,
    EqualVariables,
    NoTest,
    VariableComparison,
)
from pipegen.importing.jenkins.stages.directives.conditions import NEUTRAL, ConditionReader
from pipegen.importing.jenkins.stages.directives.when import is_of_groovy, with_parameters
from pipegen.importing.jenkins.stages.steps import on_one_line
from pipegen.importing.jenkins.stages.texts import JenkinsNames
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.readback.groovy import GroovyTokens, TokenKind

_SIGNS = {"anyOf": " || ", "allOf": " && ", "not": " && "}
_CAUSES = {
    "TimerTriggerCause": "hudson.triggers.TimerTrigger$TimerTriggerCause",
    "SCMTriggerCause": "hudson.triggers.SCMTrigger$SCMTriggerCause",
    "UserIdCause": "hudson.model.Cause$UserIdCause",
    "UpstreamCause": "hudson.model.Cause$UpstreamCause",
    "RemoteCause": "hudson.model.Cause$RemoteCause",
    "BuildUpstreamCause": "org.jenkinsci.plugins.workflow.support.steps.build.BuildUpstreamCause",
}
_SPECIAL = re.compile(r"[*?]")


class GroovyConditions:
    """Writes directives of `when` in Groovy, with the values of *names*."""

    def __init__(self, reader: ConditionReader, names: JenkinsNames) -> None:
        self._reader = reader
        self._names = names

    def expression(self, statement: Statement) -> str:
        """Return the directive *statement* as an expression; raise `UntranslatableError` if there is none."""
        if not isinstance(statement, GroovyCall):
            raise UntranslatableError("it contains Groovy")
        if statement.name == "expression":
            return _on_one_line(statement)
        if statement.name in _SIGNS and statement.block is not None:
            inner = [part for part in statement.block.statements if getattr(part, "name", "") not in NEUTRAL]
            parts = [self.expression(part) for part in inner]
            joined = _SIGNS[statement.name].join(parts if len(parts) == 1 else map(_enclosed, parts))
            return f"!({joined})" if statement.name == "not" else joined
        return self._of_test(with_parameters(self._reader.directive(statement), self._names))

    def _of_test(self, test: BuildTest) -> str:
        match test:
            case VariableComparison():
                return self._compared(test)
            case EqualVariables(variables=(first, second)):
                return f"{self._variable(first)} == {self._variable(second)}"
            case Caused():
                return f"currentBuild.getBuildCauses({literal(_CAUSES[test.cause])})"
            case AllTests() | AnyTest() if test.tests:
                sign = " && " if isinstance(test, AllTests) else " || "
                return sign.join(_enclosed(self._of_test(part)) for part in test.tests)
            case NoTest():
                return f"!({self._of_test(test.test)})"
        raise UntranslatableError("it has no equivalent in Groovy")

    def _compared(self, test: VariableComparison) -> str:
        value = self._variable(test.variable)
        match test.comparator:
            case Comparator.IS_SET:
                return value
            case Comparator.IS_NULL | Comparator.IS_BOOLEAN:
                return f"{value} == {test.text}"
            case Comparator.EQUALS | Comparator.GLOB if not _SPECIAL.search(test.text):
                return f"{value} == {literal(test.text)}"
            case Comparator.GLOB if "**" not in test.text:
                return f"{value} ==~ {literal(_regex(test.text))}"
            case Comparator.REGEX:
                return f"{value} ==~ {literal(test.text)}"
        raise UntranslatableError("it compares a pattern")

    def _variable(self, variable: BuildVariable) -> str:
        if is_of_groovy(variable, self._names):
            return variable.name
        return f"{'params' if variable.is_parameter else 'env'}.{variable.name}"


def settings_read(text: str, names: JenkinsNames, around: Sequence[str]) -> Iterator[str]:
    """Yield the block steps that set the variables of `environment` which the expression *text* reads.

    Raise `UntranslatableError` if one is only known on the agent, or is a credential: only inner steps know these,
    unless a block step in *around* sets it. What Groovy sets in `env` is known in all later stages, and axes of a
    matrix are variables around all steps.
    """
    for name, value in names.environment.items():
        if name in names.groovy_env:
            continue
        if re.search(rf"\b{name}(?:_USR|_PSW)?\b", text) and not any(f"{name}=" in step for step in around):
            if value is None or "${" in value:
                raise UntranslatableError(f"the value of {name} is known only on the agent")
            yield f"withEnv([{literal(f'{name}={value}')}])"


def _regex(glob: str) -> str:
    """Return the regular expression for *glob*, whose asterisks match no slash."""
    parts = {"*": "[^/]*", "?": "[^/]"}
    return "".join(parts.get(character) or re.sub(r"[^\w/ -]", r"\\\g<0>", character) for character in glob)


def _enclosed(text: str) -> str:
    return f"({text})" if re.search(r"[|&?]", text) else text


def _on_one_line(call: GroovyCall) -> str:
    """Return the Groovy in the block of *call* as an expression on one line: several statements are in a closure."""
    *statements, last = [_line(each) for each in call.block.statements] if call.block is not None else [""]
    result = re.sub(r"^return\b\s*", "", last)
    if not result:
        raise UntranslatableError("it has no result")
    return f"{{ {'; '.join((*statements, f'return {result}'))} }}.call()" if statements else result


def _line(statement: Statement) -> str:
    """Return *statement* on one line; only one that is on one line may have blocks, whose lines would need signs."""
    whole = (statement.whole if isinstance(statement, GroovyAssignment | GroovyCall) else statement.span).text
    text = (on_one_line(whole) or "").removesuffix(";").rstrip()
    code = GroovyTokens(text)
    signs = {token.text for token in code.tokens[: code.size] if token.kind is TokenKind.SIGN}
    refused = {";", "{", "}", "\\"} if "\n" in whole else {"\\"}
    if not code.size or signs & refused:
        raise UntranslatableError("its Groovy cannot be on one line")
    return text
