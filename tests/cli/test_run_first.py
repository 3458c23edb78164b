"""`--first`: stages with a priority, in a run, in the forecast of one, and in a simulation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen

# On one slot, the order is that of the config; of the pipelines, each gets every other slot.
CONFIG = """\
pipelines:
  p:
    stages:
      - { name: pack, script: [':'] }
      - { name: ship, script: [':'] }
      - { name: prepare, script: [':'] }
      - { name: unit, matrix: { suite: [fast, slow] }, script: ['echo ${matrix.suite}'] }
      - { name: lint, script: [':'] }
      - { name: note, script: [':'] }
      - { name: clean, script: [':'] }
    execution: [[pack, ship], [prepare, unit], [lint]]
    finally: [note, clean]
  q:
    stages: [{ name: a, script: [':'] }, { name: b, script: [':'] }]
    execution: [[a, b]]
"""
REST = ["pack", "a", "ship", "b", "prepare", "unit: fast", "unit: slow", "lint", "note", "clean"]

ORDERS: list[tuple[list[str], list[str]]] = [
    ([], REST),
    (["lint"], ["lint", "pack", "a", "ship", "b", "prepare", "unit: fast", "unit: slow", "note", "clean"]),
    (["unit"], ["prepare", "unit: fast", "unit: slow", "pack", "a", "ship", "b", "lint", "note", "clean"]),
    (["unit: slow"], ["prepare", "unit: slow", "pack", "a", "ship", "b", "unit: fast", "lint", "note", "clean"]),
    (
        ["b", "unit: slow"],
        ["a", "b", "prepare", "unit: slow", "pack", "ship", "unit: fast", "lint", "note", "clean"],
    ),
    (
        ["unit: slow", "b"],
        ["prepare", "unit: slow", "a", "b", "pack", "ship", "unit: fast", "lint", "note", "clean"],
    ),
    (["clean"], [*REST[:-2], "clean", "note"]),
]


@pytest.fixture(autouse=True)
def state(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Know no durations of earlier runs, which decide about the order, too."""
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))


@pytest.mark.parametrize(("first", "order"), ORDERS)
def test_stages_start_first(first: list[str], order: list[str], empty: Path, pipegen: Pipegen) -> None:
    """They and the stages before them start before others that are ready, the one that is named first before all."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen("run", "-j", "1", *(part for name in first for part in ("--first", name)))
    starts = [line.partition(": ")[2] for line in result.out.splitlines() if line.split()[2:3] == ["start"]]

    assert (result.status, starts) == (0, order)


@pytest.mark.parametrize(("first", "order"), ORDERS)
def test_a_simulation_starts_them_first_too(first: list[str], order: list[str], empty: Path, pipegen: Pipegen) -> None:
    """It has the order of the run, whose durations are not known."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    names = [part for name in first for part in ("--first", name)]
    result = pipegen("simulate", "--executors", "1", "--order", "declared", "--format", "json", *names)

    assert [row["stage"] for row in json.loads(result.out)["stages"]] == order


def test_a_simulation_names_the_first_stages(empty: Path, pipegen: Pipegen) -> None:
    """The first line has them, and another name is an error."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    known = pipegen("simulate", "--executors", "1", "--first", "ship", "--first", "b")
    unknown = pipegen("simulate", "--first", "shp")

    assert known.out.startswith("p, q on 1 executor, order critical-path, first ship, b\n")
    assert (unknown.status, unknown.out) == (1, "")
    assert unknown.err.startswith('error[PG823]: there is no stage "shp" in the selected pipelines\n')


def test_a_dry_run_lists_them_first(empty: Path, pipegen: Pipegen) -> None:
    """Those in the same frame are in the order in which they start; the others have no mark."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen("run", "--dry-run", "--pipeline", "p", "--first", "unit: slow", "--first", "clean")

    assert [line[14:] for line in result.out.splitlines()[2:]] == [
        "prepare (first)",
        "pack",
        "lint",
        "unit: slow (first), after prepare",
        "ship, after pack",
        "unit: fast, after prepare",
        "clean (first)",
        "note",
    ]


def test_a_priority_takes_no_slot_that_it_cannot_use(empty: Path, pipegen: Pipegen) -> None:
    """With two slots, another stage starts while no further stage with a priority is ready.

    What runs with a priority does not count in the share of its pipeline, so that the first pipeline is next.
    """
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen("run", "-j", "2", "--first", "ship")
    starts = [line.partition(": ")[2] for line in result.out.splitlines() if line.split()[2:3] == ["start"]]

    assert (result.status, starts[:2]) == (0, ["pack", "prepare"])


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [(["--first", "untt"], 'write "--first unit"'), (["--stage", "lint", "--first", "b"], 'the stages are "lint"')],
)
def test_other_names_are_reported(arguments: list[str], hint: str, empty: Path, pipegen: Pipegen) -> None:
    """Nothing runs."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen("run", *arguments)

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(f'error[PG823]: there is no stage "{arguments[-1]}" in the selected pipelines\n')
    assert f"= hint: {hint}\n" in result.err
