"""Selection of pipelines and stages of a local run."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Event, Plan
from pipegen.plan.model.facts import start_event
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext
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


def on_event(kind: Event | None) -> RunContext:
    """Return the context of a run for an event of this *kind*; without one, a user starts it."""
    return RunContext(LocalCheckout(Path()), {}, {}, start_event(kind) if kind is not None else None)


@pytest.mark.parametrize(
    ("named", "kind", "names"),
    [
        ((), Event.PUSH, ["test"]),
        ((), None, ["test"]),
        ((), Event.SCHEDULE, ["test", "nightly"]),
        (("publish", "nightly"), Event.PUSH, ["nightly", "publish"]),
    ],
)
def test_pipelines_are_selected_by_condition_or_name(
    named: tuple[str, ...], kind: Event | None, names: list[str]
) -> None:
    """A named pipeline runs regardless of its condition."""
    assert [plan.name for plan in pipelines(plans(SEVERAL), named, on_event(kind))] == names


@pytest.mark.parametrize(("kind", "names"), [(None, ["nightly"]), (Event.PUSH, []), (Event.SCHEDULE, ["nightly"])])
def test_the_condition_of_the_only_pipeline_counts_in_runs_for_an_event(kind: Event | None, names: list[str]) -> None:
    """As on engines; a run that a user starts without an event is for this pipeline."""
    nightly = "pipelines:\n  nightly: { when: { event: schedule }, stages: [{ name: b, script: b }] }\n"

    assert [plan.name for plan in pipelines(plans(nightly), (), on_event(kind))] == names


def test_a_single_pipeline_runs_by_default() -> None:
    """This holds even for one that publishes, as there is no other choice."""
    publish = "pipelines:\n  publish: { stages: [{ name: c, build: production, publish: { image: true } }] }\n"

    assert [plan.name for plan in pipelines(plans(publish), (), on_event(Event.PUSH))] == ["publish"]
