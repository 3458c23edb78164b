"""The stages that run for an event, and the reasons of the others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report
from pipegen.plan.events import answers, plans_that_run, usual_events
from pipegen.plan.known_values import ValuesBeforeRun
from pipegen.plan.model import Event, Plan
from pipegen.plan.model.facts import RunFacts, StartEvent

CONFIG = """\
inputs: { level: low }
pipelines:
  app:
    stages:
      - { name: unit, script: x }
      - { name: docs, script: x, when: { changes: docs/** } }
      - { name: review, script: x, when: { event: merge_request }, environment: { name: r, on_stop: stop } }
      - { name: stop, script: x, when: { event: merge_request } }
      - { name: deploy, script: x, when: { branch: [main, release/*], not: { event: schedule } } }
      - { name: slow, script: x, when: { any: [{ inputs: { level: high } }, { env: { SLOW: 'on' } }] } }
      - { name: release, script: x, approve: Go?, when: { tag: 'v*' }, exports: { name: 'app-${setup.tag}' } }
    execution: [[unit, [docs, review, deploy, slow], release], [review, stop]]
"""


class Files:
    """A repository with one file and no base to compare with."""

    files: Sequence[str] = ("docs/a.md",)

    def changed(self, base: str) -> Sequence[str] | None:
        """Return None: there is no branch *base*."""
        assert base
        return None


def plan_of(config: str = CONFIG) -> Plan:
    """Return the plan of *config*."""
    (plan,) = analyse(decode(config.encode(), "p.yml", "", Report()), (), Report()).plans
    return plan


def facts(event: StartEvent, **others: dict[str, str]) -> RunFacts:
    """Return the facts of a run that *event* starts; *others* are inputs and variables."""
    inputs = {"level": "low", **others.get("inputs", {})}
    return RunFacts(event=event, inputs=inputs, variables=others.get("variables", {}), repository=Files())


MAIN = StartEvent(kind=Event.PUSH, branch="main", changed=("src/a.py",))
TAG = StartEvent(kind=Event.TAG, tag="v1.0")


@pytest.mark.parametrize(
    ("event", "stages"),
    [
        (MAIN, ["unit", "deploy"]),
        (StartEvent(kind=Event.PUSH, branch="main"), ["unit", "docs", "deploy"]),
        (StartEvent(kind=Event.PUSH, branch="dev", changed=("docs/b.md",)), ["unit", "docs"]),
        (StartEvent(kind=Event.PUSH, branch="release/2", changed=()), ["unit", "deploy"]),
        (StartEvent(kind=Event.MERGE_REQUEST, changed=("a",)), ["unit", "review"]),
        (StartEvent(kind=Event.SCHEDULE, branch="main", changed=("a",)), ["unit", "docs"]),
        (TAG, ["unit", "docs", "release"]),
    ],
)
def test_stages_whose_condition_holds_run(event: StartEvent, stages: list[str]) -> None:
    """Changes count for pushes and merge requests; a stop stage never runs."""
    (answer,) = answers([plan_of()], facts(event))

    assert [stage_answer.job.stage for stage_answer in answer.stages if stage_answer.runs] == stages


def test_conditions_read_inputs_and_variables_of_the_run() -> None:
    """The run may override defaults of inputs."""
    by_input = answers([plan_of()], facts(MAIN, inputs={"level": "high"}))
    by_variable = answers([plan_of()], facts(MAIN, variables={"SLOW": "on"}))

    assert [stage_answer.job.stage for stage_answer in by_input[0].stages if stage_answer.runs] == [
        "unit",
        "deploy",
        "slow",
    ]
    assert by_input[0].stages[5].runs
    assert by_variable[0].stages[5].runs


@pytest.mark.parametrize(
    ("event", "waiting"),
    [
        (MAIN, ["docs"]),
        (StartEvent(kind=Event.PUSH, branch="main", changed=("docs/b.md",)), ["site"]),
        (TAG, ["site"]),
    ],
)
def test_files_decide_which_stages_wait_for_an_approval(event: StartEvent, waiting: list[str]) -> None:
    """All files count as changed if there is nothing to compare with."""
    plan = plan_of("""\
pipelines:
  app:
    stages:
      - { name: docs, script: x, approve: { optional: true, when: { not: { changes: docs/** } } } }
      - { name: site, script: x, approve: { when: { changes: docs/**, exists: docs/a.md } } }
      - { name: none, script: x, approve: { when: { exists: docs/b.md } } }
""")
    (answer,) = answers([plan], facts(event))

    assert [stage.job.stage for stage in answer.stages if stage.waits_for_approval] == waiting


def test_the_reason_is_the_condition_that_does_not_hold() -> None:
    """The reason omits parts that hold in this run."""
    (answer,) = answers([plan_of()], facts(StartEvent(kind=Event.SCHEDULE, branch="main")))

    assert {stage_answer.job.stage: stage_answer.reason for stage_answer in answer.stages if not stage_answer.runs} == {
        "review": "when event merge_request",
        "stop": "only when its environment is stopped",
        "deploy": "when not event schedule",
        "slow": "when input level high or variable SLOW on",
        "release": "when tag v*",
    }


def test_stages_of_a_skipped_pipeline_have_its_reason() -> None:
    """A pipeline that is selected runs in any case."""
    plan = plan_of("pipelines: { p: { when: { branch: main }, stages: [{ name: a, script: x }] } }\n")
    (answer,) = answers([plan], facts(TAG))
    (selected,) = answers([plan], facts(TAG), ["p"])

    assert (answer.reason, answer.stages[0].reason) == ("when branch main", "pipeline p runs only when branch main")
    assert selected.stages[0].runs
    assert plans_that_run([answer]) == ()


def test_removing_skipped_stages_keeps_the_order() -> None:
    """Gaps are bridged."""
    (plan,) = plans_that_run(answers([plan_of()], facts(TAG)))

    assert [job.stage for job in plan.jobs] == ["unit", "docs", "release"]
    assert set(plan.graph.arcs) == {("unit", "docs"), ("docs", "release")}


def test_usual_events_cover_named_branches_and_tags() -> None:
    """They also include other branches and tags, and the other kinds of events."""
    titles = [event.title for event in usual_events([plan_of()])]

    assert titles == [
        "push to main",
        "push to release/1",
        "push to other",
        "merge request",
        "tag v1",
        "tag other",
        "schedule on main",
        "manual on main",
        "api on main",
    ]


def test_each_condition_holds_for_a_usual_event() -> None:
    """Globs with wildcards have an example that matches."""
    config = "pipelines: { p: { stages: [%s] } }\n"
    stages = ", ".join(
        f"{{ name: s{number}, script: x, when: {{ branch: '{glob}' }} }}"
        for number, glob in enumerate(("a?c", "**/x", "x/**", "*-*", "dev"))
    )
    plan = plan_of(config % stages)
    run = {
        stage_answer.job.stage
        for event in usual_events([plan])
        for stage_answer in answers([plan], facts(event))[0].stages
        if stage_answer.runs
    }

    assert run == {"s0", "s1", "s2", "s3", "s4"}


def test_usual_events_cover_the_default_of_an_input_that_names_a_branch() -> None:
    """A condition compares it with the branch."""
    stages = "[{ name: a, script: x, when: { equal: [branch, inputs.target] } }]"
    plan = plan_of(f"inputs: {{ target: prod }}\npipelines: {{ p: {{ stages: {stages} }} }}\n")

    assert [event.title for event in usual_events([plan])][:2] == ["push to prod", "push to other"]


def test_conditions_compare_texts_of_the_run() -> None:
    """Those of the event, inputs and variables; an empty text equals nothing."""
    pairs = ("branch, inputs.level", "tag, env.A", "env.A, env.B", "inputs.level, env.C")
    stages = ", ".join(f"{{ name: '{pair}', script: x, when: {{ equal: [{pair}] }} }}" for pair in pairs)
    plan = plan_of(f"inputs: {{ level: low }}\npipelines: {{ p: {{ stages: [{stages}] }} }}\n")

    def running(event: StartEvent, **others: dict[str, str]) -> list[str]:
        (answer,) = answers([plan], facts(event, **others))
        return [stage_answer.job.stage for stage_answer in answer.stages if stage_answer.runs]

    assert running(MAIN) == []
    assert running(MAIN, inputs={"level": "main"}) == [pairs[0]]
    assert running(TAG, variables={"A": "v1.0", "B": "v1.0", "C": "v1.0"}) == [*pairs[1:3]]
    assert running(MAIN, inputs={"level": ""}, variables={"A": "", "B": "", "C": ""}) == []


def test_values_known_before_the_run_are_resolved() -> None:
    """The event and the inputs decide them."""
    known = ValuesBeforeRun(plan_of(), facts(TAG))

    assert known.value("release", "name") == "app-v1.0"
    assert known.value("unit", "name") is None


def test_values_known_only_during_the_run_are_unresolved() -> None:
    """An output of a script, a value that contains one, and a default for an empty value."""
    plan = plan_of(
        "pipelines: { p: { stages: ["
        "{ name: a, script: x, outputs: { v: { command: x } }, exports: { w: 'w-${.v}', b: '${setup.branch|none}' } }, "
        "{ name: b, script: 'x ${a.w}', exports: { c: '${a.b}-${setup.commit}', d: '${a.b}!' } }"
        "], execution: [[a, b]] } }\n"
    )
    known = ValuesBeforeRun(plan, facts(TAG))

    assert [known.value("a", "w"), known.value("a", "b")] == [None, "none"]
    assert [known.value("b", "c"), known.value("b", "d")] == [None, "none!"]


def test_a_stage_that_stops_an_environment_starts_only_then() -> None:
    """Its own condition alone does not start it."""
    plan = plan_of("""\
pipelines:
  app:
    stages:
      - { name: review, script: x, when: { event: merge_request }, environment: { name: a, on_stop: stop } }
      - { name: stop, script: x, when: { event: merge_request } }
""")
    (answer,) = answers([plan], facts(StartEvent(kind=Event.MERGE_REQUEST)))

    conditions = {stage.job.stage: stage.start.condition for stage in answer.stages}
    assert conditions == {
        "review": "when event merge_request",
        "stop": "when event merge_request, only when its environment is stopped",
    }
