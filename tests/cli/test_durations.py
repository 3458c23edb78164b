"""How long stages take, as a file says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.cli.timing.durations import load_durations
from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report, Stopped
from pipegen.run.model import TaskId

CONFIG = """\
pipelines:
  one:
    stages:
      - { name: build, script: [make] }
      - { name: unit, script: [make test], matrix: { python: ['3.11', '3.12'] } }
  other:
    stages:
      - { name: build, script: [make] }
"""


def loaded(folder: Path, text: str, config: str = CONFIG) -> tuple[dict[TaskId, float], list[str]]:
    """Return what durations *text* say of the stages of *config*, and the codes of what is wrong with them."""
    (folder / "durations.yaml").write_text(text, encoding="utf-8")
    analysed, report = analyse(decode(config.encode(), "pipegen.yaml", "", Report()), (), Report()), Report()
    try:
        found = load_durations(folder / "durations.yaml", {plan.name: plan for plan in analysed.plans}, report)
    except Stopped:
        found = {}
    return found, [one.code.number for one in report.diagnostics()]


def test_the_nearest_name_counts(tmp_path: Path) -> None:
    """That of a combination before that of its stage, and that with its pipeline before that without."""
    text = "build: 10\n'other: build': 20\nunit: 30\n'unit: 3.12': 40\n"

    assert loaded(tmp_path, text) == (
        {
            TaskId("one", "build"): 10.0,
            TaskId("one", "unit: 3.11"): 30.0,
            TaskId("one", "unit: 3.12"): 40.0,
            TaskId("other", "build"): 20.0,
        },
        [],
    )


def test_what_is_not_named_takes_the_mean(tmp_path: Path) -> None:
    """It is told once, for all of them."""
    found, codes = loaded(tmp_path, "unit: 30\n'other: build': 90\n")

    assert (found[TaskId("one", "build")], codes) == (50.0, ["PG812"])


def test_a_stage_that_takes_an_environment_down_needs_no_time(tmp_path: Path) -> None:
    """It is in no run; a time for it is no mistake."""
    config = (
        "pipelines:\n  one:\n    stages:\n"
        "      - { name: deploy, script: [x], environment: { name: review, on_stop: stop } }\n"
        "      - { name: stop, script: [x] }\n"
    )

    assert loaded(tmp_path, "deploy: 5", config)[1] == []
    assert loaded(tmp_path, "deploy: 5\nstop: 5", config)[1] == []


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("40", 40.0),
        ("0.5", 0.5),
        ("0", 0.0),
        ("0x10", 16.0),
        ("90s", 90.0),
        ("1h 30m", 5_400.0),
        ("'2 minutes'", 120.0),
    ],
)
def test_times_are_seconds_or_words(tmp_path: Path, text: str, time: float) -> None:
    """As in a config, and fractions too."""
    found, codes = loaded(tmp_path, f"{{ build: {text}, unit: 1 }}")

    assert (found[TaskId("one", "build")], codes) == (time, [])


@pytest.mark.parametrize(
    "text",
    [
        *("soon", "-1", "yes", "", "'40'", ".nan", ".inf", "1e12", "[1]", "{ a: 1 }", "90 parsecs"),
        *("9" * 90, "9" * 5_000, "9" * 80 + " weeks"),
    ],
)
def test_what_is_no_time_is_told(tmp_path: Path, text: str) -> None:
    """Numbers that no machine can hold included."""
    assert loaded(tmp_path, f"build: {text}\nunit: 1\n") == ({}, ["PG810"])
