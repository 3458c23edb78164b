"""Conditions of `when`."""

from __future__ import annotations

import pytest
from config.sample_configs import written
from plan.sample_plans import plans_of, wrong

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report
from pipegen.plan.model import (
    NEVER,
    AllOf,
    AnyOf,
    Condition,
    Event,
    Exists,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Selection,
    Subject,
)
from pipegen.plan.model.logic import can_hold, implies
from pipegen.source.text import SourceFile, Span

SPAN = Span(SourceFile("pipegen.yaml", ""), 0, 0)


def branch(*patterns: str) -> Matches:
    """Return the condition that the branch matches one of *patterns*."""
    return Matches(subject=Subject.BRANCH, patterns=tuple(map(Pattern, patterns)), span=SPAN)


def of(when: str, inputs: str = "{level: quick, deploy: false}") -> Condition | None:
    """Return the condition of *when*, which has no errors."""
    config = f"inputs: {inputs}\npipelines: {{p: {{stages: [{{name: s, script: [make], when: {when}}}]}}}}"
    return plans_of(config)[0].jobs[0].condition


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{branch: main}", branch("main")),
        ("{branch: [main, 'release/*']}", branch("main", "release/*")),
        ("{branch: 1.10}", branch("1.10")),
        ("{branch: true}", IsSet(subject=Subject.BRANCH, span=SPAN)),
        ("{tag: false}", Not(IsSet(subject=Subject.TAG, span=SPAN))),
        (
            "{tag: '/^v[0-9]+$/'}",
            Matches(subject=Subject.TAG, patterns=(Pattern("^v[0-9]+$", is_regex=True),), span=SPAN),
        ),
        ("{event: tag}", IsEvent((Event.TAG,), SPAN)),
        ("{event: [push, tag, push]}", IsEvent((Event.PUSH, Event.TAG), SPAN)),
        ("{changes: ['src/**', '*.md']}", FilesChanged((Pattern("src/**"), Pattern("*.md")), None, SPAN)),
        ("{changes: {paths: a, base: main}}", FilesChanged((Pattern("a"),), "main", SPAN)),
        ("{exists: Dockerfile}", Exists((Pattern("Dockerfile"),), SPAN)),
        (
            "{inputs: {level: full}}",
            Matches(subject=Subject.INPUT, name="level", patterns=(Pattern("full"),), span=SPAN),
        ),
        ("{inputs: {level: true}}", IsSet(subject=Subject.INPUT, name="level", span=SPAN)),
        (
            "{inputs: {deploy: false}}",
            Not(Matches(subject=Subject.INPUT, name="deploy", patterns=(Pattern("true"),), span=SPAN)),
        ),
        ("{env: {A: false}}", Not(IsSet(subject=Subject.VARIABLE, name="A", span=SPAN))),
        ("{branch: main, event: push}", AllOf((branch("main"), IsEvent((Event.PUSH,), SPAN)))),
        ("{all: [{branch: a}, {all: [{branch: a}]}]}", branch("a")),
        ("{any: [{branch: a}, {any: [{branch: b}, {branch: c}]}]}", AnyOf((branch("a"), branch("b"), branch("c")))),
        ("{not: {not: {branch: a}}}", branch("a")),
    ],
)
def test_when_becomes_a_condition(when: str, expected: Condition) -> None:
    """All keys must hold; nested conditions of the same kind are flattened."""
    assert of(when) == expected


@pytest.mark.parametrize(
    ("premise", "other", "expected"),
    [
        ("{branch: main}", "{branch: main}", True),
        ("{branch: main, event: push}", "{branch: main}", True),
        ("{branch: main}", "{branch: [main, dev]}", True),
        ("{branch: [main, dev]}", "{branch: main}", False),
        ("{branch: main}", "{branch: true}", True),
        ("{branch: main}", "{tag: true}", False),
        ("{event: push}", "{event: [push, tag]}", True),
        ("{branch: main}", "{any: [{tag: a}, {branch: main}]}", True),
        ("{any: [{branch: a}, {branch: b}]}", "{branch: [a, b, c]}", True),
        ("{not: {branch: [a, b]}}", "{not: {branch: a}}", True),
        ("{not: {branch: a}}", "{not: {branch: [a, b]}}", False),
        ("{changes: a}", "{changes: [a, b]}", True),
        ("{changes: a}", "{changes: {paths: a, base: main}}", False),
        ("{exists: a, branch: b}", "{branch: b, exists: [a, c]}", True),
    ],
)
def test_one_condition_follows_from_another(premise: str, other: str, *, expected: bool) -> None:
    """An unknown implication is false."""
    assert implies(of(premise), of(other)) is expected
    assert implies(None, of(other)) is False
    assert implies(of(premise), None)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{branch: true}", False),
        ("{not: {branch: main}}", True),
        ("{changes: a}", True),
        ("{event: [push, schedule]}", False),
        ("{env: {A: b}}", True),
    ],
)
def test_conditions_that_can_hold_in_a_merge_request(when: str, *, expected: bool) -> None:
    """A merge request has neither branch nor tag."""
    assert can_hold(of(when), (Event.MERGE_REQUEST,)) is expected


def test_a_pipeline_with_when_has_a_condition() -> None:
    """A pipeline that publishes is no longer on demand then."""
    config = """
        pipelines:
          test: {stages: [{name: a, script: [make]}]}
          publish: {when: {tag: 'v*'}, stages: [{name: b, build: x, publish: {image: true}}]}
    """
    _, publish = plans_of(config)

    assert publish.condition == Matches(subject=Subject.TAG, patterns=(Pattern("v*"),), span=SPAN)
    assert publish.selection is Selection.ALWAYS


def test_exports_of_a_stage_that_may_be_skipped_are_not_forwarded() -> None:
    """Otherwise readers would assume that they exist."""
    stages = (
        "[{name: a, script: [x], when: {branch: main}, exports: {kind: full}}, {name: b, script: ['${a.kind|no}']}]"
    )
    plan = plans_of(f"pipelines: {{p: {{stages: {stages}}}}}")[0]

    assert [(output.stage, output.name) for output in plan.jobs[1].inputs] == [("a", "kind")]


def test_the_name_of_a_skipped_stage_is_known() -> None:
    """It is not an output."""
    assert wrong("[{name: a, script: [x], when: {branch: main}}, {name: b, script: ['echo ${a.stage}']}]") == []


def test_an_allowed_failure_implies_nothing() -> None:
    """The value may be absent even under the same condition."""
    stages = "[{name: a, script: [x], allow_failure: true, outputs: [o]}, {name: b, script: ['echo ${a.o}']}]"

    assert wrong(stages) == [("PG341", "${a.o}")]
    assert wrong(stages.replace("true", "false")) == []


def test_hostile_patterns_are_fast() -> None:
    """Many of them cause neither delays nor tracebacks."""
    patterns = ", ".join(f"'p{number}*'" for number in range(40))
    report = Report()
    analyse(
        written(f"pipelines: {{p: {{stages: [{{name: a, script: [x], when: {{branch: [{patterns}]}}}}]}}}}"), (), report
    )

    assert report.diagnostics() == ()


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        ("{inputs: {level: full}}", NEVER),
        ("{inputs: {level: quick}}", None),
        ("{inputs: {level: true}, branch: a}", branch("a")),
        ("{inputs: {level: false}, branch: a}", NEVER),
        ("{any: [{inputs: {level: 'q*'}}, {branch: a}]}", None),
        ("{any: [{not: {inputs: {level: 'q*'}}}, {branch: a}]}", branch("a")),
        ("{not: {inputs: {level: [full, '/^q/']}}}", NEVER),
    ],
)
def test_conditions_on_fixed_inputs_are_evaluated(when: str, expected: Condition | None) -> None:
    """The remainder of the condition is evaluated at run time."""
    config = f"inputs: {{level: full}}\npipelines: {{p: {{stages: [{{name: s, script: [make], when: {when}}}]}}}}"
    report = Report()
    (plan,) = analyse(written(config), (), report, {"level": "quick"}).plans

    assert plan.jobs[0].condition == expected
    assert report.diagnostics() == ()
