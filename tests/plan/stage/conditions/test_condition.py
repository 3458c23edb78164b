"""Conditions of `when`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import product

import pytest
from config.sample_configs import written
from plan.sample_plans import plans_of, wrong

from pipegen.compiler import analyse
from pipegen.diagnostics.report import Report, Stopped
from pipegen.plan.model import (
    NEVER,
    AllOf,
    AnyOf,
    AreEqual,
    Condition,
    Event,
    Exists,
    Fact,
    FilesChanged,
    IsEvent,
    IsSet,
    Matches,
    Not,
    Pattern,
    Selection,
    Subject,
)
from pipegen.plan.model.facts import RunFacts, StartEvent
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
        ("{equal: [env.B, branch]}", AreEqual((Fact(Subject.BRANCH), Fact(Subject.VARIABLE, "B")), SPAN)),
        (
            "{equal: [inputs.level, inputs.deploy]}",
            AreEqual((Fact(Subject.INPUT, "deploy"), Fact(Subject.INPUT, "level")), SPAN),
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
        ("{env: {A: [a, b]}}", "{not: {env: {A: [c, '/^d/']}}}", True),
        ("{env: {A: [a, b]}}", "{not: {env: {A: b}}}", False),
        ("{env: {A: 'a*'}}", "{not: {env: {A: b}}}", False),
        ("{env: {A: a}}", "{not: {env: {B: b}}}", False),
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


class NoFiles:
    """A repository without files."""

    files: Sequence[str] = ()

    def changed(self, base: str) -> Sequence[str] | None:
        """Return None: there is no branch *base*."""
        assert base
        return None


_TEXTS = ("", "main", "dev", "mx")
_RUNS = [
    RunFacts(event=event, inputs={"level": level}, variables={"A": first, "B": second}, repository=NoFiles())
    for event in (
        *(StartEvent(kind=Event.PUSH, branch=branch) for branch in _TEXTS[1:]),
        *(StartEvent(kind=Event.TAG, tag=tag) for tag in _TEXTS[1:]),
        StartEvent(kind=Event.MERGE_REQUEST),
    )
    for level, first, second in product(_TEXTS, repeat=3)
]


@pytest.mark.parametrize(
    "when",
    [
        "{equal: [branch, env.A]}",
        "{equal: [branch, tag]}",
        "{equal: [branch, env.A], event: merge_request}",
        "{equal: [branch, env.A], tag: true}",
        "{equal: [branch, env.A], branch: main, env: {A: dev}}",
        "{equal: [branch, env.A], branch: main, not: {env: {A: main}}}",
        "{equal: [branch, env.A], branch: main, not: {env: {A: dev}}}",
        "{not: {equal: [branch, env.A]}, branch: main, env: {A: main}}",
        "{not: {equal: [branch, env.A]}, branch: 'm*', env: {A: main}}",
        "{equal: [env.A, inputs.level], env: {A: false}}",
        "{all: [{equal: [branch, env.A]}, {equal: [env.A, env.B]}], branch: main, not: {env: {B: main}}}",
        "{all: [{equal: [branch, env.A]}, {equal: [env.A, env.B]}], branch: main, env: {B: main}}",
        "{all: [{equal: [env.A, env.B]}, {equal: [env.B, inputs.level]}], env: {A: 'd*'}, inputs: {level: dev}}",
    ],
)
def test_equal_texts_match_the_same_patterns(when: str) -> None:
    """A condition on them can hold only if it holds in some run."""
    config = f"inputs: {{level: quick}}\npipelines: {{p: {{stages: [{{name: s, script: [make], when: {when}}}]}}}}"
    condition = analyse(written(config), (), Report()).plans[0].jobs[0].condition

    assert can_hold(condition) is any(run.holds(condition) for run in _RUNS)


def test_a_condition_that_two_texts_are_equal_implies_that_both_are_set() -> None:
    """An empty text equals nothing."""
    equal = of("{equal: [branch, env.A]}")

    assert implies(equal, of("{branch: true, env: {A: true}}"))
    assert implies(of("{branch: false}"), of("{not: {equal: [branch, env.A]}}"))
    assert implies(equal, of("{equal: [env.A, branch]}"))
    assert not implies(equal, of("{env: {B: true}}"))


@pytest.mark.parametrize(
    ("texts", "code", "at"),
    [
        ("[branch, inputs.levl]", "PG343", "levl"),
        ("[branch, branch]", "PG340", "branch"),
        ("[branch, main]", "PG204", "main"),
        ("[branch, env.1A]", "PG204", "env.1A"),
        ("[branch]", "PG204", "[branch]"),
        ("[branch, tag]", "PG525", "when"),
    ],
)
def test_texts_that_cannot_be_compared_are_reported(texts: str, code: str, at: str) -> None:
    """The diagnostic is at the text."""
    report = Report()
    stages = f"[{{name: s, script: [make], when: {{equal: {texts}}}}}]"
    with suppress(Stopped):
        analyse(written(f"inputs: {{level: quick}}\npipelines: {{p: {{stages: {stages}}}}}"), (), report)

    found = [(each.code.number, each.primary.span.text) for each in report.diagnostics() if each.primary is not None]
    assert found == [(code, at)]


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
