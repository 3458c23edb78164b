"""Selection of pipelines and stages of a local run."""

from __future__ import annotations

import pytest

from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan
from pipegen.run.local.selection import pipelines, select

STAGES = """\
pipelines:
  p:
    stages:
      - { name: build, script: make, artifacts: [dist/], outputs: { v: { command: cat V } } }
      - { name: lint, script: lint }
      - { name: unit, matrix: { suite: [fast, slow] }, script: 'echo ${matrix.suite}', files_from: [] }
      - { name: pack, script: pack, files_from: [build], artifacts: [pack/] }
      - { name: note, script: 'echo ${build.v}', files_from: [build] }
      - { name: last, script: last, files_from: [pack] }
      - { name: end, script: end }
    execution: [[lint, build, [unit, pack, note], last]]
    finally: [end]
"""
SEVERAL = """\
pipelines:
  test: { stages: [{ name: a, script: a }] }
  nightly: { when: { event: schedule }, stages: [{ name: b, script: b }] }
  publish: { stages: [{ name: c, build: production, publish: { image: true } }] }
"""


def plans(text: str) -> tuple[Plan, ...]:
    """Return the plans of a config."""
    report = Report()
    return analyse(decode(text.encode(), "p.yml", "", report), (), report).plans


@pytest.mark.parametrize(
    ("stages", "needed", "arcs"),
    [
        (["lint"], ["lint"], []),
        (["note"], ["build", "note"], [("build", "note")]),
        (["last"], ["build", "pack", "last"], [("build", "pack"), ("pack", "last")]),
        (["unit"], ["unit: fast", "unit: slow"], []),
        (["lint", "pack"], ["build", "lint", "pack"], [("lint", "build"), ("build", "pack")]),
        (["lint", "unit: fast"], ["lint", "unit: fast"], [("lint", "unit: fast")]),
        (["end"], ["end"], []),
    ],
)
def test_selecting_a_stage_includes_the_stages_that_it_reads(
    stages: list[str], needed: list[str], arcs: list[tuple[str, str]]
) -> None:
    """Transitively, for values and files, in the original order; finally stages run if they are named."""
    (part,) = select(plans(STAGES), stages, Report())

    assert [job.stage for job in part.jobs] == needed
    assert set(part.graph.arcs) == set(arcs)
    assert set(part.graph.nodes) == set(needed) - {"end"}


def test_all_stages_are_selected_by_default() -> None:
    """Finally stages too."""
    (plan,) = plans(STAGES)
    (part,) = select((plan,), (), Report())

    assert (part.jobs, part.graph) == (plan.jobs, plan.graph)


def test_a_stop_stage_runs_only_if_named() -> None:
    """A person starts it later."""
    (plan,) = plans(
        """\
pipelines:
  p:
    stages:
      - { name: up, script: up, environment: { name: review, on_stop: down } }
      - { name: down, script: down }
    execution: [[up, down]]
"""
    )

    (whole,), (named,) = select((plan,), (), Report()), select((plan,), ("down",), Report())
    assert ([job.stage for job in whole.jobs], whole.graph.nodes) == (["up"], ("up",))
    assert [job.stage for job in named.jobs] == ["down"]


@pytest.mark.parametrize(
    ("named", "are_true", "names"),
    [
        ((), False, ["test"]),
        ((), True, ["test", "nightly"]),
        (("publish", "nightly"), False, ["nightly", "publish"]),
    ],
)
def test_pipelines_are_selected_by_condition_or_name(
    named: tuple[str, ...], names: list[str], *, are_true: bool
) -> None:
    """A named pipeline runs regardless of its condition."""
    samples = pipelines(plans(SEVERAL), named, lambda condition: condition is None or are_true)

    assert [plan.name for plan in samples] == names


def test_a_single_pipeline_runs_by_default() -> None:
    """This holds even for one that publishes, as there is no other choice."""
    publish = "pipelines:\n  publish: { stages: [{ name: c, build: production, publish: { image: true } }] }\n"

    assert [plan.name for plan in pipelines(plans(publish), (), lambda _: True)] == ["publish"]
