"""Which pipelines run here, and which of their stages."""

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
def test_a_stage_needs_what_it_reads(stages: list[str], needed: list[str], arcs: list[tuple[str, str]]) -> None:
    """Values and files, and what those need; the order is that of the whole. Finally stages run when they are named."""
    (part,) = select(plans(STAGES), stages, Report())

    assert [job.stage for job in part.jobs] == needed
    assert set(part.graph.arcs) == set(arcs)
    assert set(part.graph.nodes) == set(needed) - {"end"}


def test_without_names_all_run() -> None:
    """Finally stages too."""
    (plan,) = plans(STAGES)
    (part,) = select((plan,), (), Report())

    assert (part.jobs, part.graph) == (plan.jobs, plan.graph)


def test_what_takes_an_environment_down_runs_when_it_is_named() -> None:
    """A person starts it, some other day."""
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
def test_pipelines_that_run(named: tuple[str, ...], names: list[str], *, are_true: bool) -> None:
    """Those that need no asking and whose condition holds; those that are named, whatever holds."""
    found = pipelines(plans(SEVERAL), named, lambda condition: condition is None or are_true)

    assert [plan.name for plan in found] == names


def test_the_only_pipeline_runs() -> None:
    """Whatever it does: there is nothing else that could be meant."""
    publish = "pipelines:\n  publish: { stages: [{ name: c, build: production, publish: { image: true } }] }\n"

    assert [plan.name for plan in pipelines(plans(publish), (), lambda _: True)] == ["publish"]
