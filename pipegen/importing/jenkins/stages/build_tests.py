"""Tests of the facts of a build, as Jenkins evaluates them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from pipegen.importing.globs import finds
from pipegen.plan.model.patterns import Pattern
from pipegen.structs import Struct

# Reasons why a condition of Jenkins is not one of a config.
MIXED_TYPES = "Groovy compares a boolean with a text"
SEVERAL_TEXTS = "toBoolean() is true for several texts"
# The regular expression of texts that `trim()` leaves something of.
NOT_BLANK = r"\S"
# A text that may be a part of the name of a change request.
PART_OF_NAME = re.compile(r"P?R?-?\d*")
EMPTY_OR_MISSING = "a config does not distinguish an empty variable from one that is missing"


class Comparator(Enum):
    """How a variable is compared."""

    GLOB = "glob"
    EQUALS = "equals"
    REGEX = "regex"
    SEARCH = "search"
    PREFIX = "prefix"
    SUFFIX = "suffix"
    CONTAINS = "contains"
    IS_BOOLEAN = "is boolean"
    TO_BOOLEAN = "to boolean"
    IS_NULL = "is null"
    # The status of a command is this number.
    IS_NUMBER = "is number"
    # The text is there and not empty, or the boolean is true.
    IS_SET = "is set"


# Whether a text begins or ends with another one, or contains it.
_PARTS: Mapping[Comparator, Callable[[str, str], bool]] = {
    Comparator.PREFIX: str.startswith,
    Comparator.SUFFIX: str.endswith,
    Comparator.CONTAINS: str.__contains__,
}


class BuildVariable(Struct):
    """A variable of the environment, or a parameter; *is_bare* if Groovy reads it without `env.`."""

    name: str
    is_parameter: bool = False
    is_bare: bool = False


class VariableComparison(Struct):
    """A comparison of *variable* with *text*."""

    variable: BuildVariable
    comparator: Comparator
    text: str = ""


def mixes_types(test: VariableComparison, *, is_boolean: bool) -> bool:
    """Return whether *test* is an equality with a text of a variable that *is_boolean*, or with a boolean of a text."""
    is_with_boolean = test.comparator is Comparator.IS_BOOLEAN
    return (is_with_boolean or test.comparator is Comparator.EQUALS) and is_with_boolean is not is_boolean


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
    """The facts of a build that conditions test.

    *changed* is None if there is no commit to compare with, *files* if all files exist.
    """

    environment: Mapping[str, str]
    parameters: Mapping[str, str]
    cause: str = ""
    changed: tuple[str, ...] | None = None
    files: Sequence[str] | None = None

    def value(self, variable: BuildVariable) -> str | None:
        """Return the value of *variable*; None if it has none."""
        return (self.parameters if variable.is_parameter else self.environment).get(variable.name)


def holds(test: BuildTest, facts: BuildFacts) -> bool:  # noqa: PLR0911 - one for each kind
    """Return whether *test* holds in a build with *facts*, as Jenkins evaluates it."""
    match test:
        case VariableComparison():
            return compares(test, facts.value(test.variable))
        case EqualVariables():
            first, second = test.variables
            return facts.value(first) == facts.value(second)
        case Caused():
            return test.cause == facts.cause
        case ChangedPath():
            return facts.changed is None or Pattern(test.pattern).matches_any(facts.changed)
        case FoundPath():
            # https://www.jenkins.io/doc/pipeline/steps/workflow-basic-steps/#fileexists-verify-if-file-exists-in-workspace
            files = facts.files
            return files is None or any(file == test.path or file.startswith(f"{test.path}/") for file in files)
        case AllTests():
            return all(holds(part, facts) for part in test.tests)
        case AnyTest():
            return any(holds(part, facts) for part in test.tests)
        case NoTest():
            return not holds(test.test, facts)


def variables_of(test: BuildTest) -> Iterator[BuildVariable | None]:
    """Yield the variables that *test* reads, and None for each part that tests another fact."""
    match test:
        case VariableComparison():
            yield test.variable
        case EqualVariables():
            yield from test.variables
        case AllTests() | AnyTest():
            for part in test.tests:
                yield from variables_of(part)
        case NoTest():
            yield from variables_of(test.test)
        case _:
            yield None


def compares(test: VariableComparison, value: str | None) -> bool:  # noqa: PLR0911 - one for each comparator
    """Return whether *test* holds for a variable with *value*, which is None for null."""
    match test.comparator:
        case Comparator.IS_SET:
            return bool(value) and not (test.variable.is_parameter and value == "false")
        case Comparator.IS_NULL:
            return value is None
        case _ if value is None:
            return False
        case Comparator.EQUALS | Comparator.IS_BOOLEAN:
            return value == test.text
        case Comparator.TO_BOOLEAN:
            return value.strip().lower() in ("true", "y", "1")
        case comparator if comparator in _PARTS:
            return _PARTS[comparator](value, test.text)
        case Comparator.GLOB:
            return Pattern(test.text).matches(value)
        case Comparator.REGEX:
            return finds(f"^(?:{test.text})$", value)
    return finds(test.text, value)
