"""Finally stages."""

from __future__ import annotations

from plan.sample_plans import plans_of, reported

from pipegen.plan.model import Plan

_STAGES = "{name: a, script: [x], outputs: [v], artifacts: [f]}, {name: b, script: [x]}"


def _plan(final: str, more: str = "") -> Plan:
    (plan,) = plans_of(f"pipelines: {{p: {{stages: [{_STAGES}, {final}], finally: [last]{more}}}}}")
    return plan


def _codes(pipeline: str) -> list[str]:
    return [diagnostic.code.number for diagnostic in reported(f"pipelines: {{p: {{{pipeline}}}}}")]


def test_a_finally_stage_is_not_in_the_graph() -> None:
    """It has no needs and no frame, and gets files only from the stages that it names."""
    plan = _plan("{name: last, script: [x]}")
    last = plan.job("last")

    assert plan.graph.topological() == ("a", "b")
    assert (last.is_final, last.frame, last.needs, last.files) == (True, None, (), ())
    assert [job.is_final for job in plan.jobs] == [False, False, True]


def test_a_finally_stage_runs_for_a_status_of_the_pipeline() -> None:
    """The combinations of a matrix have the status of the stage."""
    stages = f"{_STAGES}, {{name: c, script: [x], matrix: {{x: [k, l]}}}}, {{name: d, script: [x]}}"
    final = "finally: {always: [d], failed: [c], success: [b]}"
    (plan,) = plans_of(f"pipelines: {{p: {{stages: [{stages}], {final}}}}}")

    assert {job.stage: job.on_status for job in plan.jobs} == {
        "a": "",
        "b": "success",
        "c: k": "failed",
        "c: l": "failed",
        "d": "",
    }
    assert [job.stage for job in plan.jobs if job.is_final] == ["b", "c: k", "c: l", "d"]


def test_a_finally_stage_has_one_status() -> None:
    """For any status, it belongs to "always"."""
    assert _codes(f"stages: [{_STAGES}], finally: {{failed: [b], success: [b]}}") == ["PG204"]


def test_a_finally_stage_reads_values_files_and_statuses() -> None:
    """A value needs a default, since its stage may have failed; "" is the pipeline."""
    last = _plan("{name: last, script: ['x ${a.v|none} ${b.status} ${pipeline.status}'], files_from: [a]}").job("last")

    assert [str(output) for output in last.reads] == ["a.v"]
    assert (last.files, last.statuses) == (("a",), ("b", ""))


def test_a_stage_named_pipeline_hides_the_pipeline() -> None:
    """The name then refers to the stage's status."""
    (plan,) = plans_of(
        "pipelines: {p: {stages: [{name: pipeline, script: [x]}, {name: last, script: ['x ${pipeline.status}']}],"
        "finally: [last]}}"
    )

    assert plan.job("last").statuses == ("pipeline",)


def test_a_value_without_default_is_reported() -> None:
    """Like any value that may be absent."""
    assert _codes(f"stages: [{_STAGES}, {{name: last, script: ['x ${{a.v}}'], files_from: [a]}}], finally: [last]") == [
        "PG341"
    ]


def test_fail_fast_is_in_the_plan() -> None:
    """The default is false."""
    assert _plan("{name: last, script: [x]}", ", fail_fast: true").is_fail_fast
    assert not _plan("{name: last, script: [x]}", ", fail_fast: false").is_fail_fast
