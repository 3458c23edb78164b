"""The condition of a rule as the `when` of a stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from pipegen.importing.gitlab.reading.expressions.formulas import (
    Changed,
    Comparison,
    EveryOf,
    Exist,
    Facts,
    Formula,
    HasValue,
    IsDefined,
    IsRef,
    Known,
    LiteralText,
    Negation,
    Regex,
    SomeOf,
    VariableName,
    holds,
    negated,
    searches,
    tested_names,
)
from pipegen.importing.gitlab.reading.expressions.paths import alternatives, can_match
from pipegen.importing.globs import globs_of
from pipegen.importing.logic import (
    ALWAYS,
    NEVER,
    Condition,
    Conjunction,
    Disjunction,
    Opposite,
    StageTest,
    equality,
    simplified,
    tests,
)
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.plan.regexes.subset import RegexError, portable_regex
from pipegen.structs import Struct

_EVENTS = {"merge_request_event": "merge_request", "schedule": "schedule", "web": "manual"}
# All sources of a config's events.
_SOURCES = {
    "push": ("push", "tag"),
    "merge_request_event": ("merge_request",),
    "schedule": ("schedule",),
    **dict.fromkeys(("web", "chat"), ("manual",)),
    **dict.fromkeys(("api", "trigger", "pipeline", "parent_pipeline"), ("api",)),
}
_ANY_TEXT = Regex(".+", "")
_MERGE_REQUEST = re.compile(
    r"CI_MERGE_REQUEST_(?:IID|ID|PROJECT_ID|SOURCE_BRANCH_NAME|TARGET_BRANCH_NAME|PROJECT_PATH)"
)
# Variables with a value in every run: https://docs.gitlab.com/ci/variables/predefined_variables/
_OF_RUNS = frozenset(
    {
        *("CI_COMMIT_REF_NAME", "CI_COMMIT_REF_SLUG", "CI_DEFAULT_BRANCH", "CI_PIPELINE_SOURCE", "CI_SERVER_HOST"),
        *("CI_PROJECT_ID", "CI_PROJECT_NAME", "CI_PROJECT_NAMESPACE", "CI_PROJECT_PATH", "CI_PROJECT_ROOT_NAMESPACE"),
    }
)
# Variables that are known for each job.
_OF_JOBS = frozenset({"CI_JOB_NAME", "CI_JOB_STAGE"})
_GLOB = re.compile(r"[*?]")

# The branch or tag that is built, and the variables with its name if they are set.
_REF = "CI_COMMIT_REF_NAME"
_REFS = ("CI_COMMIT_BRANCH", "CI_COMMIT_TAG", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")


class Names(Struct, kw_only=True, eq=False):
    """The values of variables: the default branch, the inputs, and the constants of a job by name.

    *unknown* are variables of the file or job whose values depend on the run, *axes* the values of each variable of its
    matrix. If conditions *may_differ*, one that a config cannot express becomes a test of the same variable. Each is
    equal only to itself, by which results are stored.
    """

    default_branch: str
    inputs: frozenset[str]
    constants: Mapping[str, str]
    unknown: frozenset[str]
    axes: Mapping[str, Collection[str]] = MappingProxyType({})
    may_differ: bool = False


# Several steps read the rules of each job.
@lru_cache(maxsize=10_000)
def condition(formula: Formula, names: Names) -> Condition:  # noqa: PLR0911 - one for each kind
    """Return *formula* in the terms of a config; raise `UntranslatableError` if there are none."""
    match formula:
        case Known():
            return ALWAYS if formula.is_true else NEVER
        case Negation():
            return Opposite(condition(formula.part, names))
        case EveryOf() | SomeOf():
            is_all = isinstance(formula, EveryOf)
            parts = tuple(condition(part, names) for part in _with_values(formula.parts, is_all=is_all))
            return _without_absence(Conjunction(parts) if is_all else Disjunction(parts))
        case HasValue() | IsDefined():
            return _value_test(formula, names)
        case IsRef():
            return _ref(formula)
        case Changed():
            return StageTest("changes", patterns=_paths(formula.patterns, names), other=_base(formula.base, names))
        case Exist():
            return StageTest("exists", patterns=_paths(formula.patterns, names))
        case Comparison():
            return _comparison_or_test(formula, names)


def _with_values(parts: Sequence[Formula], *, is_all: bool) -> Sequence[Formula]:
    """Return *parts* with one test of a variable that must be neither empty nor missing, or may be either unless all.

    A config does not distinguish an empty variable from a missing one.
    """
    tested: dict[str, set[str | None]] = {}
    for part in parts:
        tests = _absence(part, is_all=is_all)
        if tests is not None:
            tested.setdefault(tests[0], set()).update(tests[1])
    has_value = {name: HasValue(name) for name, texts in tested.items() if texts == {"", None}}
    result: dict[Formula, None] = {}
    for part in parts:
        tests = _absence(part, is_all=is_all)
        whole = has_value.get(tests[0]) if tests is not None else None
        result[part if whole is None else whole if is_all else negated(whole)] = None
    return tuple(result)


def _without_absence(whole: Condition) -> Condition:
    """Return *whole* without the cases in which compared variables are not set, if it excludes them itself."""
    return simplified(whole) if any(test.key == "equal" for test in tests(whole)) else whole


def _absence(test: Formula, *, is_all: bool) -> tuple[str, set[str | None]] | None:
    """Return the variable of *test*, and the values, "" and None, for which it fails, or holds unless *is_all*."""
    part = negated(test) if is_all else test
    match part:
        case Negation(HasValue(name)):
            return name, {"", None}
        case Negation(IsDefined(name)):
            return name, {None}
        case Comparison(VariableName(name), "==", LiteralText(text)) if not text:
            return name, {text}
    return None


def _of_axis(axis: str, test: Formula, names: Names) -> Condition:
    """Return whether *test* holds for a value of *axis*; raise `UntranslatableError` unless conditions may differ.

    Combinations may differ, and a variable of the run replaces their values.
    """
    if not names.may_differ:
        raise UntranslatableError(f"${axis} is a variable of the matrix")
    return ALWAYS if any(holds(test, Facts(variables={axis: value})) for value in names.axes[axis]) else NEVER


def _known(test: HasValue | IsDefined | Comparison, names: Names) -> Condition | None:
    """Return whether *test* holds if the run does not decide it: all its variables are known for each job."""
    tested = tested_names(test)
    if axis := next((name for name in tested if name in names.axes), ""):
        return _of_axis(axis, test, names)
    known = {name: names.constants[name] for name in tested if name in _OF_JOBS and name in names.constants}
    if len(known) < len(set(tested)):
        return None
    return ALWAYS if holds(test, Facts(variables=known)) else NEVER


def _comparison_or_test(comparison: Comparison, names: Names) -> Condition:
    if (known := _known(comparison, names)) is not None:
        return known
    try:
        return _comparison(comparison, names)
    except UntranslatableError:
        variable = next(
            (operand for operand in (comparison.left, comparison.right) if isinstance(operand, VariableName)), None
        )
        if not names.may_differ or variable is None:
            raise
        has_value = _has_value(variable.name, names)
        return Opposite(has_value) if LiteralText("") in (comparison.left, comparison.right) else has_value


def _value_test(test: HasValue | IsDefined, names: Names) -> Condition:
    if (known := _known(test, names)) is not None:
        return known
    if isinstance(test, IsDefined) and _is_set(test.name, names):
        return ALWAYS
    return _has_value(test.name, names)


def _is_set(name: str, names: Names) -> bool:
    """Return whether the file or the job sets the variable *name* to a text in every run, even to an empty one."""
    return name in names.inputs or name in names.constants


def _has_value(name: str, names: Names) -> Condition:
    if name in _OF_RUNS:
        return ALWAYS
    if name == "CI_COMMIT_BRANCH":
        return StageTest("branch")
    if name == "CI_COMMIT_TAG":
        return StageTest("tag")
    if _MERGE_REQUEST.fullmatch(name):
        return StageTest("event", patterns=("merge_request",))
    return StageTest("inputs" if name in names.inputs else "env", name)


def _ref(ref: IsRef) -> Condition:
    if ref.regex is None:
        return StageTest("branch", patterns=(_literal(ref.text),))
    patterns = _regex(ref.regex)
    return Disjunction((StageTest("branch", patterns=patterns), StageTest("tag", patterns=patterns)))


def _comparison(comparison: Comparison, names: Names) -> Condition:
    left, right = comparison.left, comparison.right
    if comparison.sign == "==" and not isinstance(left, VariableName):
        left, right = right, left
    if not isinstance(left, VariableName):
        raise UntranslatableError("neither side is a variable")
    if isinstance(right, VariableName):
        constant = _with_constant(left, comparison.sign, right, names)
        return _are_equal(left.name, right.name, names) if constant is None else condition(constant, names)
    if isinstance(right, Regex) and comparison.sign == "=~":
        return _searched(left.name, right, names)
    if not isinstance(right, LiteralText):
        raise UntranslatableError("a text is compared with a regular expression")
    return _is_part(left.name, right.text) if comparison.sign == "=~" else _equals(left.name, right.text, names)


def _equals(name: str, text: str | None, names: Names) -> Condition:
    if text is None:
        return NEVER if _is_set(name, names) else Opposite(_has_value(name, names))
    if not text:
        return _is_empty(name, names)
    if name == "CI_PIPELINE_SOURCE":
        return _source(text)
    return _matches(name, (_literal(text),), names)


def _is_empty(name: str, names: Names) -> Condition:
    """Return the condition that the variable *name* is set and empty, which GitLab never does with its own ones."""
    if name in names.inputs:
        return Opposite(_has_value(name, names))
    if name.startswith("CI_") or names.constants.get(name):
        return NEVER
    raise UntranslatableError(f"a config does not distinguish an empty ${name} from one that is not set")


def _are_equal(first: str, second: str, names: Names) -> Condition:
    """Return the condition that two variables are equal, which they also are in GitLab if neither is set.

    `Lexeme::Equals` in `lib/gitlab/ci/pipeline/expression` of GitLab compares null, too. Inputs are set, if only to the
    empty text; other variables without a value count as not set, as in `_equals`.
    """
    if first == second:
        return ALWAYS
    if _REF in (first, second) and (other := first if second == _REF else second) in _REFS:
        return _has_value(other, names)
    equal = equality(_text(first, names), _text(second, names))
    if not _OF_RUNS.isdisjoint((first, second)) or (first in names.inputs) is not (second in names.inputs):
        return equal
    return Disjunction((equal, Conjunction(tuple(Opposite(_has_value(name, names)) for name in (first, second)))))


def _text(name: str, names: Names) -> str:
    """Return the variable *name* as `equal` names it."""
    if name in names.unknown:
        raise UntranslatableError(f"the value of ${name} depends on the run")
    known = {"CI_COMMIT_BRANCH": "branch", "CI_COMMIT_TAG": "tag"}.get(name)
    return known or f"{'inputs' if name in names.inputs else 'env'}.{name}"


def _with_constant(left: VariableName, sign: str, right: VariableName, names: Names) -> Comparison | None:
    """Return a comparison of two variables as one with the constant value of one of them; None if none has one."""
    if sign == "=~":
        value = names.constants.get(right.name)
        if value is not None and value.startswith("/") and value.rfind("/") > 0:
            source, _, flags = value[1:].rpartition("/")
            return Comparison(left, sign, Regex(source, flags))
        if value is not None:
            return Comparison(left, sign, LiteralText(value))
    else:
        for variable, other in ((left, right), (right, left)):
            if other.name == "CI_DEFAULT_BRANCH":
                return Comparison(variable, sign, LiteralText(names.default_branch))
        for variable, other in ((left, right), (right, left)):
            if other.name in names.constants:
                return Comparison(variable, sign, LiteralText(names.constants[other.name]))
    if sign == "==":
        return None
    raise UntranslatableError(f"${left.name} is matched with a pattern in ${right.name}")


def _source(source: str) -> Condition:
    if source == "push":
        return StageTest("event", patterns=("push", "tag"))
    if source in _EVENTS:
        return StageTest("event", patterns=(_EVENTS[source],))
    # Programs start pipelines in several ways, which are one event of a config.
    return StageTest("env", "CI_PIPELINE_SOURCE", (_literal(source),))


def _searched(name: str, regex: Regex, names: Names) -> Condition:
    if regex == _ANY_TEXT:
        return _has_value(name, names)
    if name == "CI_PIPELINE_SOURCE" and (events := _events(lambda source: searches(regex, source))):
        return StageTest("event", patterns=events)
    matches = _matches(name, _regex(regex), names)
    # A variable that is not set is searched as the empty text, which matches no pattern of a config.
    return Disjunction((Opposite(_has_value(name, names)), matches)) if searches(regex, "") else matches


def _is_part(name: str, text: str | None) -> Condition:
    """Return the condition that the value of *name* is a part of *text*, as GitLab reads `$NAME =~ "text"`."""
    if text is None:
        return NEVER
    events = _events(lambda source: source in text) if name == "CI_PIPELINE_SOURCE" else ()
    if not events:
        raise UntranslatableError(f'GitLab looks for ${name} in "{text}", which is not a regular expression')
    return StageTest("event", patterns=events)


def _events(matches: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the events of the sources that *matches* accepts, () if it distinguishes sources of one event."""
    matched = [source for source in _SOURCES if matches(source)]
    events = tuple(dict.fromkeys(event for source in matched for event in _SOURCES[source]))
    is_whole = all(source in matched for source, of in _SOURCES.items() if not set(events).isdisjoint(of))
    return events if is_whole else ()


def _matches(name: str, patterns: tuple[str, ...], names: Names) -> Condition:
    if name == "CI_COMMIT_BRANCH" or (name == "CI_COMMIT_REF_NAME" and not patterns[0].startswith("/")):
        return StageTest("branch", patterns=patterns)
    if name == "CI_COMMIT_TAG":
        return StageTest("tag", patterns=patterns)
    return StageTest("inputs" if name in names.inputs else "env", name, patterns)


def _literal(text: str) -> str:
    """Return the pattern that matches *text* only."""
    is_plain = not _GLOB.search(text) and not re.fullmatch(r"/.*/\w*", text, re.DOTALL)
    return text if is_plain else f"/^{re.escape(text)}$/"


def _regex(regex: Regex) -> tuple[str, ...]:
    """Return the patterns that match what *regex* does: globs where they can."""
    if set(regex.flags) - {"i"}:
        raise UntranslatableError(f"the flags of /{regex.source}/{regex.flags}")
    source = ("(?i)" if "i" in regex.flags else "") + regex.source.replace(r"\/", "/")
    if globs := globs_of(source):
        return globs
    try:
        return (f"/{portable_regex(source)}/",)
    except RegexError as error:
        raise UntranslatableError(f"/{regex.source}/: {error.message}") from None


def _paths(patterns: Sequence[str], names: Names) -> tuple[str, ...]:
    """Return the patterns of paths as a config has them: in GitLab's, `**` matches folders only before a slash."""
    result = []
    if not patterns:
        raise UntranslatableError("a rule tests no files")
    for pattern in patterns:
        text = _with_constants(pattern, names)
        if "$" in text or "[" in text or text.startswith("!"):
            raise UntranslatableError(f'the pattern "{pattern}"')
        for alternative in alternatives(text):
            if not can_match(alternative):
                raise UntranslatableError(f'GitLab finds no files for the pattern "{pattern}"')
            path = re.sub(r"\*\*+(?!\*|/)", "*", alternative)
            result.append(re.sub(r"\*\*/\*$", "**", path))
    return tuple(dict.fromkeys(result))


def _base(base: str, names: Names) -> str:
    text = _with_constants(base, names).removeprefix("refs/heads/")
    if text in ("$CI_DEFAULT_BRANCH", "${CI_DEFAULT_BRANCH}"):
        return names.default_branch
    if "$" in text:
        raise UntranslatableError(f'changes since "{base}"')
    return text


def _with_constants(text: str, names: Names) -> str:
    """Return *text* with the values of its variables that are constant."""
    return re.sub(r"\$\{?(\w+)\}?", lambda match: names.constants.get(match[1], match[0]), text)
