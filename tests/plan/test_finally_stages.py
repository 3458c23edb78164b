"""Tests of finally stages."""

from __future__ import annotations

from plan.planned import plans_of, reported

from pipegen.plan.model import Plan

_STAGES = "{name: a, script: [x], outputs: [v], artifacts: [f]}, {name: b, script: [x]}"


def _plan(final: str, more: str = "") -> Plan:
    (plan,) = plans_of(f"pipelines: {{p: {{stages: [{_STAGES}, {final}], finally: [last]{more}}}}}")
    return plan


def _codes(pipeline: str) -> list[str]:
    return [found.code.number for found in reported(f"pipelines: {{p: {{{pipeline}}}}}")]


def test_a_finally_stage_is_no_part_of_the_graph() -> None:
    """It needs no stage, stands in no frame, and takes no files unless it names whose."""
    plan = _plan("{name: last, script: [x]}")
    last = plan.job("last")

    assert plan.graph.topological() == ("a", "b")
    assert (last.is_final, last.frame, last.needs, last.files) == (True, None, (), ())
    assert [job.is_final for job in plan.jobs] == [False, False, True]


def test_it_reads_values_files_and_statuses() -> None:
    """A value needs a default, since its stage may have failed; "" stands for the pipeline."""
    last = _plan("{name: last, script: ['x ${a.v|none} ${b.status} ${pipeline.status}'], files_from: [a]}").job("last")

    assert [str(output) for output in last.reads] == ["a.v"]
    assert (last.files, last.statuses) == (("a",), ("b", ""))


def test_a_stage_named_pipeline_hides_the_pipeline() -> None:
    """Its status is read by that name then."""
    (plan,) = plans_of(
        "pipelines: {p: {stages: [{name: pipeline, script: [x]}, {name: last, script: ['x ${pipeline.status}']}],"
        "finally: [last]}}"
    )

    assert plan.job("last").statuses == ("pipeline",)


def test_a_value_without_default_is_reported() -> None:
    """As any that may not be there."""
    assert _codes(f"stages: [{_STAGES}, {{name: last, script: ['x ${{a.v}}'], files_from: [a]}}], finally: [last]") == [
        "PG341"
    ]


def test_fail_fast_is_noted_where_it_is_true() -> None:
    """Where it is false, nothing differs."""
    assert _plan("{name: last, script: [x]}", ", fail_fast: true").is_fail_fast
    assert not _plan("{name: last, script: [x]}", ", fail_fast: false").is_fail_fast
