"""A condition of a Jenkinsfile as one of a config."""

from __future__ import annotations

import re

from pipegen.importing.jenkins.reading.checkout import CHECKED_OUT_BRANCH
from pipegen.importing.jenkins.stages.build_tests import (
    EMPTY_OR_MISSING,
    MIXED_TYPES,
    PART_OF_NAME,
    SEVERAL_TEXTS,
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
    compares,
    mixes_types,
)
from pipegen.importing.jenkins.stages.texts import SETUP, JenkinsNames
from pipegen.importing.logic import ALWAYS, NEVER, Condition, Conjunction, Disjunction, Opposite, StageTest, equality
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

_EVENTS = {
    "TimerTriggerCause": "schedule",
    "UserIdCause": "manual",
    "UpstreamCause": "api",
    "BuildUpstreamCause": "api",
    "RemoteCause": "api",
    "SCMTriggerCause": "push",
}
_CHANGE_REQUEST = StageTest("event", patterns=("merge_request",))
_NAME_OF_CHANGE_REQUEST = "PR-"
_NAMES_OF_CHANGE_REQUESTS = ("PR-*", "PR-.*", r"PR-\d+", "PR-[0-9]+")
_PARAMETER = re.compile(r"\$\{(?:inputs|setup\.params)\.(\w+)\}")
_SPECIAL = re.compile(r"[*?\[\]/]")
# The name of the branch that is checked out: `origin/main`, or `main` in a multibranch job.
_REMOTE = re.compile(r"(?:origin|(?<![^^(|])(?:\.\*|\*{1,2}))/")


def condition_of(test: BuildTest, names: JenkinsNames) -> Condition:  # noqa: PLR0911 - one for each kind
    """Return *test* as a condition of a config; raise `UntranslatableError` if there is none."""
    match test:
        case VariableComparison():
            return _compared(test, names)
        case EqualVariables():
            return _equal(test, names)
        case Caused():
            return StageTest("event", patterns=(_EVENTS[test.cause],))
        case ChangedPath():
            return StageTest("changes", patterns=(test.pattern,))
        case FoundPath():
            if test.path.startswith("/"):
                raise UntranslatableError("the file is outside the checkout")
            return StageTest("exists", patterns=(test.path,))
        case AllTests():
            return Conjunction(tuple(condition_of(part, names) for part in test.tests))
        case AnyTest():
            return Disjunction(tuple(condition_of(part, names) for part in test.tests))
        case NoTest():
            return Opposite(condition_of(test.test, names))


def with_parameters(test: BuildTest, names: JenkinsNames) -> BuildTest:
    """Return *test* with the parameters in place of variables of `environment` that have their values.

    The branch that is built stands for the one that is checked out, which no condition knows.
    """
    match test:
        case VariableComparison(BuildVariable(is_parameter=False)):
            return _of_variable(test, names)
        case EqualVariables(variables=(first, second)):
            return _same(first, second, names)
        case AllTests() | AnyTest():
            return replace(test, tests=tuple(with_parameters(part, names) for part in test.tests))
        case NoTest():
            return NoTest(with_parameters(test.test, names))
    return test


def _of_variable(test: VariableComparison, names: JenkinsNames) -> BuildTest:
    """Return *test* of a variable that is not a parameter."""
    name = test.variable.name
    if name in CHECKED_OUT_BRANCH and not names.is_set(name):
        return replace(test, variable=BuildVariable("BRANCH_NAME"), text=_REMOTE.sub("", test.text))
    return _of_copy(test, _with_parameter(test.variable, names))


def _same(first: BuildVariable, second: BuildVariable, names: JenkinsNames) -> BuildTest:
    """Return the test whether two variables are equal; a constant of the file is a text."""
    for variable, other in ((first, second), (second, first)):
        if other.is_bare and other.name in names.constants and not is_of_groovy(variable, names):
            return with_parameters(VariableComparison(variable, Comparator.EQUALS, names.constants[other.name]), names)
    return EqualVariables((_with_parameter(first, names), _with_parameter(second, names)))


def _axis_error(name: str) -> UntranslatableError:
    """Return the error for a condition on *name*, an axis of a matrix."""
    return UntranslatableError(f"a condition cannot test {name}, an axis of the matrix")


def _of_copy(test: VariableComparison, variable: BuildVariable) -> BuildTest:
    """Return *test* of *variable*, the parameter that the compared variable of `environment` may be a copy of.

    A copy of the empty text is null.
    """
    if variable != test.variable and test.comparator is Comparator.IS_NULL:
        return NoTest(VariableComparison(variable, Comparator.IS_SET))
    if variable != test.variable and test.comparator is Comparator.EQUALS and not test.text:
        return AnyTest()
    return replace(test, variable=variable)


def _with_parameter(variable: BuildVariable, names: JenkinsNames) -> BuildVariable:
    is_parameter = variable.is_parameter
    match = None if is_parameter else _PARAMETER.fullmatch(names.environment.get(variable.name) or "")
    # A variable of the environment is a text; a parameter may be a boolean.
    return BuildVariable(match[1], not names.inputs.get(match[1], True)) if match else variable


def _equal(test: EqualVariables, names: JenkinsNames) -> Condition:
    """Return the condition that two variables are equal, which they also are if neither is set.

    Parameters are set, even to the empty text; other variables without a value count as not set, as in `_compared`.
    """
    first, second = test.variables
    if first == second:
        return ALWAYS
    if axes := {variable.name for variable in test.variables if not variable.is_parameter} & {*names.axes}:
        raise _axis_error(min(axes))
    if {first.name, second.name} == {"BRANCH_NAME", "TAG_NAME"} and not (first.is_parameter or second.is_parameter):
        return StageTest("tag")  # in a build of a tag, the branch plugin sets both to its name
    if _is_boolean(first, names) is not _is_boolean(second, names):
        raise UntranslatableError(MIXED_TYPES)
    for variable, other in ((first, second), (second, first)):
        if not variable.is_parameter and variable.name in names.environment:
            value = names.environment[variable.name]
            if not value or "${" in value:
                raise UntranslatableError(f"the value of {variable.name} is known only on the agent")
            return condition_of(VariableComparison(other, Comparator.EQUALS, value), names)
    tests = _has_value(first, names), _has_value(second, names)
    equal = equality(*(".".join(filter(None, (value.key, value.name))) for value in tests))
    is_set = any(value.key == "branch" or names.inputs.get(value.name) for value in tests)
    if is_set or len({value.key == "inputs" for value in tests}) > 1:
        return equal
    return Disjunction((equal, Conjunction(tuple(map(Opposite, tests)))))


def _is_boolean(variable: BuildVariable, names: JenkinsNames) -> bool:
    return variable.is_parameter and names.inputs.get(variable.name, False)


def _has_value(variable: BuildVariable, names: JenkinsNames) -> StageTest:
    """Return the test whether *variable* has a value."""
    name = variable.name
    if name in names.inputs:
        return StageTest("inputs", name)
    if variable.is_parameter:
        raise UntranslatableError("the type of a parameter is not known")
    if name in CHECKED_OUT_BRANCH or name == "CHANGE_ID":
        raise UntranslatableError(f"a config does not know the text of {name}")
    _check_variable(variable, names)
    known = {"BRANCH_NAME": "branch", "TAG_NAME": "tag"}.get(name)
    return StageTest(known) if known else StageTest("env", name)


def is_of_groovy(variable: BuildVariable, names: JenkinsNames) -> bool:
    """Return whether *variable* is one of Groovy, which a name without `env.` reads first."""
    return variable.is_bare and (variable.name in names.computed or variable.name in names.constants)


def _check_variable(variable: BuildVariable, names: JenkinsNames) -> None:
    if is_of_groovy(variable, names):
        raise UntranslatableError(f'it reads "{variable.name}", which Groovy of this file sets')


def _compared(test: VariableComparison, names: JenkinsNames) -> Condition:
    name, is_parameter = test.variable.name, test.variable.is_parameter
    if name in names.axes and not is_parameter:
        raise _axis_error(name)
    if name in names.inputs and (is_parameter or name not in names.environment):
        return _of_parameter(test, names)
    if name in names.environment and not is_parameter:
        return _constant(test, names.environment[name])
    _check_variable(test.variable, names)
    if test.comparator is Comparator.TO_BOOLEAN:
        raise UntranslatableError(SEVERAL_TEXTS)
    if test.comparator is Comparator.IS_NULL:
        return Opposite(_compared(replace(test, comparator=Comparator.IS_SET), names))
    if test.comparator is Comparator.EQUALS and not test.text:
        raise UntranslatableError(EMPTY_OR_MISSING)
    if is_parameter and name in SETUP:
        raise UntranslatableError(f"{name} of a config is the variable of Jenkins, not the parameter of that name")
    if is_parameter:
        return StageTest("env", name, () if test.comparator is Comparator.IS_SET else (_pattern(test),))
    if test.comparator is Comparator.IS_BOOLEAN:
        raise UntranslatableError(MIXED_TYPES)
    return _of_environment(test)


def _of_environment(test: VariableComparison) -> Condition:
    """Return *test* of a variable that the file does not set."""
    is_set = test.comparator is Comparator.IS_SET
    patterns = () if is_set else (_pattern(test),)
    match test.variable.name:
        case "BRANCH_NAME":
            if is_set:
                return ALWAYS
            if test.comparator in (Comparator.SUFFIX, Comparator.CONTAINS) and PART_OF_NAME.fullmatch(test.text):
                raise UntranslatableError("a config knows no branch of a change request")
            is_change_request = test.comparator is Comparator.PREFIX and test.text == _NAME_OF_CHANGE_REQUEST
            is_change_request = is_change_request or test.text.startswith(_NAMES_OF_CHANGE_REQUESTS)
            return _CHANGE_REQUEST if is_change_request else StageTest("branch", patterns=patterns)
        case "TAG_NAME":
            return StageTest("tag", patterns=patterns)
        case "CHANGE_ID" if is_set:
            return _CHANGE_REQUEST
    return StageTest("env", test.variable.name, patterns)


def _of_parameter(test: VariableComparison, names: JenkinsNames) -> Condition:
    """Return *test* of a declared parameter, which is a text in the environment, and never null."""
    name, is_boolean = test.variable.name, _is_boolean(test.variable, names)
    if mixes_types(test, is_boolean=is_boolean):
        raise UntranslatableError(MIXED_TYPES)
    if test.comparator is Comparator.TO_BOOLEAN and not names.inputs[name]:
        raise UntranslatableError(SEVERAL_TEXTS)
    match test.comparator:
        case Comparator.IS_NULL:
            return NEVER
        case Comparator.IS_SET if is_boolean:
            return StageTest("inputs", name, ("true",))
        case Comparator.IS_SET:
            return ALWAYS if names.inputs[name] else StageTest("inputs", name)
        case Comparator.EQUALS if not test.text:
            return NEVER if names.inputs[name] else Opposite(StageTest("inputs", name))
    return StageTest("inputs", name, (_pattern(test),))


def _constant(test: VariableComparison, value: str | None) -> Condition:
    """Return whether *test* holds for a variable of `environment` with a constant *value*; an empty one is null."""
    if value is None or "${" in value:
        raise UntranslatableError(f"the value of {test.variable.name} is known only on the agent")
    if test.comparator is Comparator.IS_BOOLEAN:
        raise UntranslatableError(MIXED_TYPES)
    return ALWAYS if compares(test, value or None) else NEVER


def _pattern(test: VariableComparison) -> str:
    """Return the pattern of a config: a glob, or a regular expression between slashes."""
    match test.comparator:
        case Comparator.GLOB | Comparator.IS_BOOLEAN | Comparator.TO_BOOLEAN:
            return test.text
        case Comparator.EQUALS:
            return f"/^{re.escape(test.text)}$/" if re.search(r"[*?\[\]]|^/.*/$", test.text) else test.text
        case Comparator.PREFIX:
            return f"{test.text}**" if not _SPECIAL.search(test.text.rstrip("/")) else f"/^{re.escape(test.text)}/"
        case Comparator.SUFFIX | Comparator.CONTAINS:
            return f"/{re.escape(test.text)}{'$' if test.comparator is Comparator.SUFFIX else ''}/"
        case Comparator.SEARCH:
            return f"/{test.text}/"
    is_group = re.fullmatch(r"\([^()]*\)", test.text) or "|" not in test.text
    return f"/^{test.text}$/" if is_group else f"/^({test.text})$/"
