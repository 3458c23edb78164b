"""Stages that run another pipeline."""

from __future__ import annotations

import pytest
from plan.sample_plans import of, plans_of, reported, shown

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Commands, Plan, Selection

INNER = """
  inner:
    directory: sub
    stages:
      - {name: a, script: [make], outputs: [v]}
      - {name: b, matrix: {x: [1, 2]}, script: ['echo ${a.v} ${.stage}'], artifacts: ['${matrix.x}']}
      - {name: c, build: c}
    execution: [[a, b], [c]]
"""


def outer(stages: str, execution: str = "", inner: str = INNER) -> Plan:
    """Return the plan of the pipeline `p` of *stages* with the arcs *execution*, next to *inner*."""
    arcs = f"    execution: {execution}\n" if execution else ""
    return plans_of(f"pipelines:\n  p:\n    stages: {stages}\n{arcs}{inner}")[0]


def test_stages_of_the_called_pipeline_replace_the_stage() -> None:
    """First stages follow the predecessors, last stages precede the successors; there is no barrier."""
    plan = outer("[{name: x, script: [make]}, {name: s, pipeline: inner}, {name: z, script: [make]}]")

    assert plan.graph == ExecutionGraph(
        [["x", "s / a"], ["x", "s / c"], ["s / a", "s / b: 1"], ["s / a", "s / b: 2"]]
        + [[last, "z"] for last in ("s / b: 1", "s / b: 2", "s / c")]
    )
    assert [job.stage for job in plan.jobs] == ["x", "s / a", "s / b: 1", "s / b: 2", "s / c", "z"]


def test_references_in_a_called_pipeline_name_its_own_stages() -> None:
    """A stage of the caller with the same name is a different one."""
    plan = outer("[{name: a, script: [make], outputs: [v]}, {name: s, pipeline: inner}]")
    values = of(Commands, plan.job("s / b: 2")).lines[0].values

    assert [shown(value) for _, value in values] == ["<stage s / a.v>", "b: 2"]


def test_settings_of_the_called_pipeline_apply() -> None:
    """The folder, the blubberfile, the mail; those of the caller do not."""
    plan = plans_of(
        "pipelines:\n  p: {directory: here, stages: [{name: s, pipeline: q}, {name: z, script: [make]}]}\n"
        "  q: {blubberfile: own.yaml, notify: {email: {to: a@example.org}}, stages: [{name: a, build: a}]}\n"
    )[0]
    job = plan.job("s / a")
    mail = job.mail

    assert (job.directory, plan.job("z").directory) == (".", "here")
    assert "own.yaml" in str(job.steps[0])
    assert mail is not None
    assert shown(mail.to[0]) == "a@example.org"


def test_one_pipeline_may_be_called_twice_and_call_others() -> None:
    """Each call has its own stages."""
    inner = "  q: {stages: [{name: t, pipeline: r}]}\n  r: {stages: [{name: a, script: [make]}]}\n"
    plan = outer("[{name: s, pipeline: q}, {name: u, pipeline: q}]", inner=inner)

    assert plan.graph == ExecutionGraph([["s / t / a", "u / t / a"]])


def test_files_of_a_call_come_from_all_its_stages() -> None:
    """Stages without files are omitted."""
    plan = outer("[{name: s, pipeline: inner}, {name: z, script: [make], files_from: [s]}]")

    assert plan.job("z").files == ("s / b: 1", "s / b: 2")


def test_conditions_of_stage_call_and_pipeline_are_combined() -> None:
    """All three must hold."""
    inner = "  q: {when: {event: push}, stages: [{name: a, when: {env: {DEPLOY: true}}, script: [make]}]}\n"
    plan = outer("[{name: s, pipeline: q, when: {branch: main}}]", inner=inner)

    condition = repr(plan.job("s / a").condition)

    assert all(part in condition for part in ("BRANCH", "PUSH", "DEPLOY"))


def test_a_called_pipeline_is_on_demand() -> None:
    """The calling pipeline runs it."""
    config = "pipelines:\n  p: {stages: [{name: s, pipeline: q}, {name: d, deploy: {image: i, tag: t}}]}\n"
    config += "  q: {stages: [{name: a, script: [make]}]}\n"

    assert [plan.selection for plan in plans_of(config)] == [Selection.ALWAYS, Selection.ON_DEMAND]
    assert [plan.selection for plan in plans_of(config, "q")] == [Selection.ALWAYS]


@pytest.mark.parametrize("depth", [3, 900])
def test_calls_can_be_nested_deeply(depth: int) -> None:
    """900 levels raise no RecursionError."""
    calls = "".join(f"  p{number}: {{stages: [{{name: s, pipeline: p{number + 1}}}]}}\n" for number in range(depth))
    plans = plans_of(f"pipelines:\n{calls}  p{depth}: {{stages: [{{name: s, script: [make]}}]}}\n", "p0")

    assert plans[0].graph.nodes == (" / ".join(["s"] * (depth + 1)),)


def test_a_cycle_in_a_called_pipeline_is_reported_once() -> None:
    """The location is in the called pipeline."""
    diagnostics = reported(
        "pipelines:\n  p: {stages: [{name: s, pipeline: q}, {name: t, pipeline: q}]}\n"
        "  q: {stages: [{name: a, script: [x]}, {name: b, script: [y]}], execution: [[a, b], [b, a]]}\n"
    )

    assert [diagnostic.code.number for diagnostic in diagnostics] == ["PG401"]
