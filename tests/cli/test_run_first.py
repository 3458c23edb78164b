"""`pipegen run --first`: stages with a priority."""

from __future__ import annotations

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


@pytest.fixture(autouse=True)
def state(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Know no durations of earlier runs, which decide about the order, too."""
    monkeypatch.setenv("XDG_STATE_HOME", str(empty / "state"))


@pytest.mark.parametrize(
    ("first", "order"),
    [
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
    ],
)
def test_stages_start_first(first: list[str], order: list[str], empty: Path, pipegen: Pipegen) -> None:
    """They and the stages before them start before others that are ready, the one that is named first before all."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    result = pipegen("run", "-j", "1", *(part for name in first for part in ("--first", name)))
    starts = [line.partition(": ")[2] for line in result.out.splitlines() if line.split()[2:3] == ["start"]]

    assert (result.status, starts) == (0, order)


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
