"""Files with durations of stages."""

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
    """Return the durations that *text* defines for the stages of *config*, and the codes reported."""
    (folder / "durations.yaml").write_text(text, encoding="utf-8")
    analysed, report = analyse(decode(config.encode(), "pipegen.yaml", "", Report()), (), Report()), Report()
    try:
        times = load_durations(folder / "durations.yaml", {plan.name: plan for plan in analysed.plans}, report)
    except Stopped:
        times = {}
    return times, [diagnostic.code.number for diagnostic in report.diagnostics()]


def test_the_most_specific_name_takes_precedence(tmp_path: Path) -> None:
    """A combination comes before its stage, and a name with a pipeline before one without."""
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


def test_stages_without_a_duration_get_the_mean(tmp_path: Path) -> None:
    """One warning names all of them."""
    times, codes = loaded(tmp_path, "unit: 30\n'other: build': 90\n")

    assert (times[TaskId("one", "build")], codes) == (50.0, ["PG812"])


def test_a_stop_stage_needs_no_duration(tmp_path: Path) -> None:
    """It is in no simulated run; a duration for it is allowed."""
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
        ("0s", 0.0),
        ("90s", 90.0),
        ("1h 30m", 5_400.0),
        ("'2 minutes'", 120.0),
    ],
)
def test_durations_are_seconds_or_have_units(tmp_path: Path, text: str, time: float) -> None:
    """The units are those of a config, and fractions are allowed."""
    times, codes = loaded(tmp_path, f"{{ build: {text}, unit: 1 }}")

    assert (times[TaskId("one", "build")], codes) == (time, [])


@pytest.mark.parametrize(
    "text",
    [
        *("soon", "-1", "yes", "", "'40'", ".nan", ".inf", "1e12", "[1]", "{ a: 1 }", "90 parsecs"),
        *("9" * 90, "9" * 5_000, "9" * 80 + " weeks"),
    ],
)
def test_invalid_durations_are_reported(tmp_path: Path, text: str) -> None:
    """These include numbers that are too large."""
    assert loaded(tmp_path, f"build: {text}\nunit: 1\n") == ({}, ["PG810"])
