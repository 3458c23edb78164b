"""Tests of the facts of a build, as Jenkins evaluates them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from pipegen.importing.globs import finds
from pipegen.plan.model.patterns import Pattern
from pipegen.structs import Struct


class Comparator(Enum):
    """How a text is compared."""

    GLOB = "glob"
    EQUALS = "equals"
    REGEX = "regex"
    SEARCH = "search"
    PREFIX = "prefix"
    # The text is there, and neither empty nor false.
    IS_SET = "is set"


class VariableComparison(Struct):
    """A comparison of a variable of the environment, or of a parameter, with *text*."""

    variable: str
    comparator: Comparator
    text: str = ""
    is_parameter: bool = False


class BuildVariable(Struct):
    """A variable of the environment, or a parameter."""

    name: str
    is_parameter: bool = False


class EqualVariables(Struct):
    """Two variables have the same value, or neither has one."""

    variables: tuple[BuildVariable, BuildVariable]


class Caused(Struct):
    """The build has a cause of this class."""

    cause: str


class ChangedPath(Struct):
    """A path that the Ant pattern matches has changed."""

    pattern: str


class FoundPath(Struct):
    """A file is in the repository."""

    path: str


class AllTests(Struct):
    """All of *tests* hold."""

    tests: tuple[BuildTest, ...] = ()


class AnyTest(Struct):
    """One of *tests* holds."""

    tests: tuple[BuildTest, ...] = ()


class NoTest(Struct):
    """*test* does not hold."""

    test: BuildTest


BuildTest: TypeAlias = (
    VariableComparison | EqualVariables | Caused | ChangedPath | FoundPath | AllTests | AnyTest | NoTest
)
TRUE = AllTests()


class BuildFacts(Struct, kw_only=True):
    """The facts of a build that conditions test; *changed* is None if there is no commit to compare with."""

    environment: Mapping[str, str]
    parameters: Mapping[str, str]
    cause: str = ""
    changed: tuple[str, ...] | None = None

    def value(self, name: str, *, is_parameter: bool) -> str | None:
        """Return the value of a variable of the environment, or of a parameter; None if it has none."""
        return (self.parameters if is_parameter else self.environment).get(name)


def holds(test: BuildTest, facts: BuildFacts) -> bool:  # noqa: PLR0911 - one for each kind
    """Return whether *test* holds in a build with *facts*, as Jenkins evaluates it."""
    match test:
        case VariableComparison():
            return _is_equal(test, facts.value(test.variable, is_parameter=test.is_parameter))
        case EqualVariables():
            first, second = test.variables
            return facts.value(first.name, is_parameter=first.is_parameter) == facts.value(
                second.name, is_parameter=second.is_parameter
            )
        case Caused():
            return test.cause == facts.cause
        case ChangedPath():
            return facts.changed is None or Pattern(test.pattern).matches_any(facts.changed)
        case FoundPath():
            return True
        case AllTests():
            return all(holds(part, facts) for part in test.tests)
        case AnyTest():
            return any(holds(part, facts) for part in test.tests)
        case NoTest():
            return not holds(test.test, facts)


def _is_equal(test: VariableComparison, value: str | None) -> bool:  # noqa: PLR0911 - one for each comparator
    match test.comparator:
        case Comparator.IS_SET:
            return bool(value) and value != "false"
        case _ if value is None:
            return False
        case Comparator.EQUALS:
            return value == test.text
        case Comparator.PREFIX:
            return value.startswith(test.text)
        case Comparator.GLOB:
            return Pattern(test.text).matches(value)
        case Comparator.REGEX:
            return finds(f"^(?:{test.text})$", value)
    return finds(test.text, value)
