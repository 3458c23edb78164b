"""The events for which an imported Jenkinsfile is compared with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting
from pipegen.importing.jenkins.marks import Marks
from pipegen.importing.jenkins.reading.source import JenkinsSource, JenkinsStage
from pipegen.importing.jenkins.reading.syntax import GroovyAssignment, GroovyCall, constant
from pipegen.importing.jenkins.settings import settings_of
from pipegen.importing.jenkins.stages.build_tests import (
    AllTests,
    AnyTest,
    BuildFacts,
    BuildTest,
    BuildVariable,
    Caused,
    ChangedPath,
    Comparator,
    EqualVariables,
    FoundPath,
    NoTest,
    VariableComparison,
    holds,
)
from pipegen.plan.model import Event
from pipegen.plan.model.facts import DEFAULT_BRANCH, RepositoryFiles, StartEvent
from pipegen.structs import Struct, replace

_BRANCHES = ("feature/x", "release/1.0", "develop")
_TAG = "v1.0.0"
_CHANGE_REQUEST = {"CHANGE_ID": "1", "CHANGE_TARGET": DEFAULT_BRANCH, "CHANGE_BRANCH": "feature/x"}
_CAUSES = {Event.SCHEDULE: "TimerTriggerCause", Event.MANUAL: "UserIdCause", Event.API: "RemoteCause"}
_UPSTREAM = frozenset({"UpstreamCause", "BuildUpstreamCause"})
# Causes that the build of a change request can have, whose event is always "merge_request".
_CAUSES_OF_CHANGE = ("UserIdCause", "RemoteCause", *sorted(_UPSTREAM))
_WITH_TEXT = (
    *(Comparator.EQUALS, Comparator.IS_BOOLEAN, Comparator.GLOB, Comparator.PREFIX, Comparator.SUFFIX),
    Comparator.CONTAINS,
)
_MOST_VALUES = 8
_MOST_NAMES = 30
_KNOWN = frozenset({"BRANCH_NAME", "TAG_NAME", *_CHANGE_REQUEST})


class FilesOfTests(Struct):
    """A repository with the files that conditions name."""

    files: Sequence[str]

    def changed(self, base: str) -> Sequence[str] | None:
        """Return None: no paths are known for the branch *base*."""
        del base
        return None


class BuildEvent(Struct, kw_only=True):
    """An event in a few words, as Jenkins and as a config know it."""

    title: str
    start: StartEvent
    facts: BuildFacts
    inputs: Mapping[str, str]
    repository: FilesOfTests


def build_events(tests: Sequence[BuildTest], source: JenkinsSource) -> tuple[BuildEvent, ...]:
    """Return the usual events, and those that *tests* distinguish."""
    parts = [part for test in tests for part in _parts(test)]
    repository = FilesOfTests([part.path for part in parts if isinstance(part, FoundPath)])
    inputs = _defaults(source)
    known = _constants(source)
    compared = [part for part in parts if isinstance(part, VariableComparison)]
    events = [
        _event(start, {**_environment(start), **known}, _cause(start, parts), inputs, repository)
        for start in start_events(tests)
    ]
    if any(isinstance(part, ChangedPath) for part in parts):
        start = StartEvent(kind=Event.PUSH, branch=DEFAULT_BRANCH, changed=("other",))
        events.append(_event(start, {"BRANCH_NAME": DEFAULT_BRANCH, **known}, "", inputs, repository))
    fixed = {*_KNOWN, *known}
    own = [part for part in compared if part.variable.is_parameter or part.variable.name not in fixed]
    manual = StartEvent(kind=Event.MANUAL, branch=DEFAULT_BRANCH)
    for part in list(dict.fromkeys(own))[:_MOST_VALUES]:
        value = part.text if part.comparator in _WITH_TEXT else "true"
        name = part.variable.name
        environment = {"BRANCH_NAME": DEFAULT_BRANCH, **known, name: value}
        is_input = part.variable.is_parameter or name in inputs
        values = {**inputs, name: value} if is_input else inputs
        event = _event(manual, environment, "UserIdCause", values, repository)
        events.append(replace(event, title=f"{event.title} with {name}={value}"))
    pairs = list(dict.fromkeys(part.variables for part in parts if isinstance(part, EqualVariables)))
    for pair in pairs[:_MOST_VALUES]:
        events += _equal_in(pair, known, inputs, repository)
    return tuple(events)


def _equal_in(
    pair: tuple[BuildVariable, BuildVariable],
    known: Mapping[str, str],
    inputs: Mapping[str, str],
    repository: FilesOfTests,
) -> Iterator[BuildEvent]:
    """Yield a build in which the two variables are equal: of a tag if its name is one of them, else of a branch."""
    start = StartEvent(kind=Event.MANUAL, branch=DEFAULT_BRANCH)
    environment = {"BRANCH_NAME": DEFAULT_BRANCH}
    if any(variable.name == "TAG_NAME" for variable in pair):
        start, environment = StartEvent(kind=Event.MANUAL, tag=_TAG), {"BRANCH_NAME": _TAG, "TAG_NAME": _TAG}
    environment = {**environment, **known}
    text = next((environment[variable.name] for variable in pair if variable.name in environment), "1")
    own = [variable for variable in pair if variable.name not in {*_KNOWN, *known}]
    values = {variable.name: text for variable in own if variable.is_parameter or variable.name in inputs}
    texts = {variable.name: text for variable in own}
    event = _event(start, {**environment, **texts}, "UserIdCause", {**inputs, **values}, repository)
    if texts:
        yield replace(event, title=f"{event.title} with {', '.join(f'{name}={text}' for name in texts)}")


def _event(
    start: StartEvent, environment: Mapping[str, str], cause: str, inputs: Mapping[str, str], repository: FilesOfTests
) -> BuildEvent:
    return BuildEvent(
        title=start.title,
        start=start,
        facts=BuildFacts(environment={**inputs, **environment}, parameters=inputs, cause=cause, changed=start.changed),
        inputs=inputs,
        repository=repository,
    )


def start_events(tests: Sequence[BuildTest]) -> tuple[StartEvent, ...]:
    """Return the usual events, with the branches and tags that *tests* name."""
    compared = [part for test in tests for part in _parts(test) if isinstance(part, VariableComparison)]
    named = [_example(part) for part in compared if part.variable.name == "BRANCH_NAME"]
    tags = [_example(part) for part in compared if part.variable.name == "TAG_NAME"]
    branches = list(dict.fromkeys((DEFAULT_BRANCH, *_BRANCHES, *filter(None, named))))[:_MOST_NAMES]
    return (
        *(StartEvent(kind=Event.PUSH, branch=branch) for branch in branches),
        StartEvent(kind=Event.MERGE_REQUEST),
        *(
            StartEvent(kind=Event.TAG, tag=tag)
            for tag in list(dict.fromkeys((_TAG, *filter(None, tags))))[:_MOST_NAMES]
        ),
        *(StartEvent(kind=kind, branch=DEFAULT_BRANCH) for kind in (Event.SCHEDULE, Event.MANUAL, Event.API)),
    )


def facts_of(
    start: StartEvent, tests: Sequence[BuildTest], source: JenkinsSource, repository: RepositoryFiles
) -> BuildFacts:
    """Return what *tests* are evaluated against in the build of *start* in *repository*."""
    parts = [part for test in tests for part in _parts(test)]
    environment = {**_environment(start), **_constants(source)}
    event = _event(start, environment, _cause(start, parts), _defaults(source), FilesOfTests(()))
    return replace(event.facts, files=repository.files if any(isinstance(part, FoundPath) for part in parts) else None)


def is_run(stage: JenkinsStage, tests: Iterable[tuple[GroovyCall, BuildTest]], facts: BuildFacts) -> bool:
    """Return whether *tests* hold with *facts*, each in "when" of *stage* or of a stage around it.

    They read the variables of the stages around theirs: Jenkins sets those of a stage after its condition.
    """
    return all(
        holds(test, replace(facts, environment=_environment_around(stage, owner, facts))) for owner, test in tests
    )


def tests_cause_of_change(
    stage: JenkinsStage, tests: Sequence[tuple[GroovyCall, BuildTest]], source: JenkinsSource
) -> bool:
    """Return whether a cause decides if *tests* hold for *stage* in the build of a change request."""
    parts = [test for _, test in tests]
    if not any(isinstance(part, Caused) for test in parts for part in _parts(test)):
        return False
    facts = facts_of(StartEvent(kind=Event.MERGE_REQUEST), parts, source, FilesOfTests(()))
    return len({is_run(stage, tests, replace(facts, cause=cause)) for cause in ("", *_CAUSES_OF_CHANGE)}) > 1


def _environment_around(stage: JenkinsStage, owner: GroovyCall, facts: BuildFacts) -> Mapping[str, str]:
    """Return the variables of *facts* and of the stages around *owner*, which is *stage* or around it."""
    environment = dict(facts.environment)
    for section in stage.blocks("environment", owner):
        environment |= _values(section)
    return environment


def _environment(start: StartEvent) -> Mapping[str, str]:
    """Return the variables of a multibranch job in the build of *start*."""
    if start.kind is Event.MERGE_REQUEST:
        return {"BRANCH_NAME": "PR-1", **_CHANGE_REQUEST}
    return {"BRANCH_NAME": start.tag, "TAG_NAME": start.tag} if start.tag else {"BRANCH_NAME": start.branch}


def _cause(start: StartEvent, parts: Sequence[BuildTest]) -> str:
    """Return the class of the cause of *start*: of those of a program, the one that *parts* name."""
    causes = [part.cause for part in parts if isinstance(part, Caused) and part.cause in _UPSTREAM]
    return causes[0] if causes and start.kind is Event.API else _CAUSES.get(start.kind, "")


def _example(part: VariableComparison) -> str:
    """Return a text that *part* can hold for; "" if none is found."""
    if part.text.startswith("PR-"):
        return ""
    match part.comparator:
        case Comparator.GLOB:
            return part.text.replace("**", "1").replace("*", "1").replace("?", "1")
        case Comparator.PREFIX:
            return f"{part.text}1"
        case Comparator.SUFFIX | Comparator.CONTAINS:
            return f"1{part.text}"
        case Comparator.EQUALS:
            return part.text
    return ""


def _defaults(source: JenkinsSource) -> dict[str, str]:
    """Return the default of each parameter."""
    defaults = {}
    for name, value in settings_of(source, {}, Marks(Accounting(), Report())).inputs.items():
        default = value.get("default", "") if isinstance(value, dict) else value
        defaults[name] = str(default).lower() if isinstance(default, bool) else str(default)
    return defaults


def _constants(source: JenkinsSource) -> dict[str, str]:
    """Return the variables of the pipeline with a constant value."""
    section = source.section("environment")
    return _values(section) if section is not None else {}


def _values(section: GroovyCall) -> dict[str, str]:
    """Return the variables in the *section* `environment`, "" for those without a constant value."""
    return {
        statement.name: constant(statement.value) or ""
        for statement in (section.block.statements if section.block is not None else ())
        if isinstance(statement, GroovyAssignment)
    }


def _parts(test: BuildTest) -> Iterator[BuildTest]:
    match test:
        case AllTests() | AnyTest():
            for inner in test.tests:
                yield from _parts(inner)
        case NoTest():
            yield from _parts(test.test)
        case _:
            yield test
