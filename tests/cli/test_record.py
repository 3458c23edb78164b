"""`pipegen simulate --record`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.program import Pipegen
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from pipegen.assets import folder

CONFIG = """\
pipelines:
  service:
    stages:
      - { name: build, script: [make] }
      - { name: test, script: [make test], matrix: { part: ["1", "2"] } }
    execution: [[build, test]]
"""


def job(number: int, name: str, status: str, created: str, duration: float | None, pipeline: int) -> dict[str, Any]:
    """Return a job as GitLab's API does."""
    return {
        "id": number,
        "name": name,
        "status": status,
        "created_at": created,
        "duration": duration,
        "queued_duration": 3.5 if duration else None,
        "tag_list": ["linux"],
        "pipeline": {"id": pipeline},
    }


JOBS = [
    job(5, "deploy", "manual", "2026-03-14T09:00:00.500+01:00", None, 8),
    job(4, "test: [2]", "success", "2026-03-14T09:00:00.500+01:00", 131.5, 8),
    job(3, "test 2/2", "success", "2026-03-04T09:00:00.500Z", 31.5, 7),
    job(2, "test: [1]", "failed", "2026-03-04T09:00:00.500Z", 61.5, 7),
    job(1, "build", "success", "2026-03-04T09:00:00.000Z", 60.25, 7),
]
# Wednesday at 9, and 10 days later at 8, both UTC.
TIMES = [2 * 86_400 + 9 * 3600, 12 * 86_400 + 8 * 3600]


def run(number: int, start: int, *stages: tuple[str, str, int, int]) -> dict[str, Any]:
    """Return a run as the REST API of Jenkins' pipelines does."""
    return {
        "id": str(number),
        "status": "SUCCESS",
        "startTimeMillis": start,
        "durationMillis": 1,
        "stages": [
            {"name": name, "status": status, "durationMillis": duration, "pauseDurationMillis": pause}
            for name, status, duration, pause in stages
        ],
    }


RUNS = [
    run(2, 1_772_614_800_000, ("build", "SUCCESS", 4_000, 0), ("test", "FAILED", 1_000, 0)),
    run(1, 1_772_611_200_000, ("build", "UNSTABLE", 90_000, 60_000), ("test", "SUCCESS", 20_000, 0)),
]


def test_jobs_of_gitlab_are_load(empty: Path, pipegen: Pipegen) -> None:
    """Pages may overlap. The output is a fleet if it has machines."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    for name, jobs in (("one.json", JOBS[:3]), ("two.json", JOBS[2:])):
        (empty / name).write_text(json.dumps(jobs), encoding="utf-8")
    load = pipegen("simulate", "--record", "one.json", "--record", "two.json")
    (empty / "fleet.yaml").write_text(f"machines: [{{ name: linux }}]\n{load.out}", encoding="utf-8")
    result = pipegen("simulate", "--fleet", "fleet.yaml", "--format", "json")

    assert (load.status, load.err) == (0, "")
    assert "# 2 recorded pipelines, in seconds after Monday 2026-03-02 0:00 UTC." in load.out
    assert "# 4 jobs waited 3.5 s (median), 3.5 s (p95)." in load.out
    assert [line.strip(" -") for line in load.out.split("times:")[1].splitlines()[1:3]] == [str(time) for time in TIMES]
    assert [line.strip() for line in load.out.split("durations:")[1].splitlines()[1:]] == [
        *("build: 60", "test:", "median: 32", "p95: 132", "failures:", "test: 0.3333"),
    ]
    assert json.loads(result.out)["loads"][0]["result"]["count"] == 2


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (RUNS, ["times:", "- 201600", "- 205200", "durations:", "build:", "median: 4.0", "p95: 30", "test: 20"]),
        (RUNS[1], ["times:", "- 201600", "durations:", "build: 30", "test: 20"]),
        ({"builds": [{"number": 1, "timestamp": 1_772_611_200_000}]}, ["times:", "- 201600"]),
        (
            {
                "builds": [{"number": 2, "timestamp": 1_772_614_800_000}],
                "allBuilds": [
                    {"number": 2, "timestamp": 1_772_614_800_000},
                    {"number": 1, "timestamp": 1_772_611_200_000},
                ],
            },
            ["times:", "- 201600", "- 205200"],
        ),
        (
            {
                "jobs": [
                    {"name": "main", "builds": [{"number": 1, "timestamp": 1_772_614_800_000}]},
                    {"name": "next", "builds": [{"number": 1, "timestamp": 1_772_611_200_000}]},
                    {"name": "new", "builds": []},
                    {
                        "name": "folder",
                        "jobs": [{"name": "main", "builds": [{"number": 1, "timestamp": 1_772_607_600_000}]}],
                    },
                ]
            },
            ["times:", "- 198000", "- 201600", "- 205200"],
        ),
    ],
)
def test_runs_of_jenkins_are_load(answer: object, expected: list[str], empty: Path, pipegen: Pipegen) -> None:
    """Pauses for approvals are not work; `api/json` has only the starts, in `builds` of the last 100 builds."""
    (empty / "runs.json").write_text(json.dumps(answer), encoding="utf-8")
    load = pipegen("simulate", "--record", "runs.json")
    lines = [line.strip() for line in load.out.splitlines()]

    assert lines[lines.index("times:") :][: len(expected)] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not valid JSON"),
        ("{}", "has no jobs, builds or runs"),
        ('{"message": "401 Unauthorized"}', "has no jobs, builds or runs"),
        ("[]", "has no jobs, builds or runs"),
        ("[1]", "record 1 of the file is invalid: it is not an object"),
        ('[{"id": 1}]', 'its "pipeline" is not an object'),
        ('[{"pipeline": {"id": []}}]', 'no "id"'),
        ('{"builds": [{"timestamp": 1772611200000}]}', 'no "number"'),
        ('[{"pipeline": {"id": 1}, "created_at": "soon"}]', 'no valid "created_at"'),
        ('[{"pipeline": {"id": 1}, "id": 2, "created_at": "2026-03-04T09:00:00Z"}]', 'no "name"'),
        ('[{"id": "1", "stages": [], "startTimeMillis": NaN}]', 'no valid "startTimeMillis"'),
        ('[{"id": "1", "stages": [], "startTimeMillis": 1e300}]', 'no valid "startTimeMillis"'),
        (f'{{"builds": [{{"number": 1, "timestamp": {"9" * 5000}}}]}}', "is not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"builds": [{"number": 1, "timestamp": 0}, {"number": 2, "timestamp": 1772611200000}]}', "30 years apart"),
        (
            '{"id": "1", "startTimeMillis": 0, "stages": [{"name": "a", "durationMillis": 1e12}]}',
            "took more than 30 years",
        ),
    ],
)
def test_other_files_are_reported(text: str, message: str, empty: Path, pipegen: Pipegen) -> None:
    """The errors have a code."""
    (empty / "jobs.json").write_text(text, encoding="utf-8")
    result = pipegen("simulate", "--record", "jobs.json")

    assert (result.status, result.out) == (1, "")
    assert "error[PG806]" in result.err
    assert message in result.err


def test_pipelines_and_builds_with_equal_numbers(empty: Path, pipegen: Pipegen) -> None:
    """A pipeline of GitLab and a build of Jenkins are two pipelines."""
    (empty / "jobs.json").write_text(json.dumps(JOBS[:1]), encoding="utf-8")
    builds = {"builds": [{"number": JOBS[0]["pipeline"]["id"], "timestamp": 1_772_611_200_000}]}
    (empty / "builds.json").write_text(json.dumps(builds), encoding="utf-8")
    load = pipegen("simulate", "--record", "jobs.json", "--record", "builds.json")

    assert load.out.startswith("# 2 recorded pipelines")


NUMBERS = (-1, 0, 5e9, 5e12, 1e308, float("inf"), float("nan"), 10**4000)
GARBAGE: tuple[object, ...] = (None, True, *NUMBERS, "", "9" * 40, "0001-01-01T00:00:00Z", [], {})


def paths(value: Any) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths to all values in *value*: keys and indexes."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (key,)
        yield from ((key, *rest) for rest in paths(child))


def replaced(value: Any, path: tuple[str | int, ...], new: object) -> Any:
    """Return *value* with *new* at *path*."""
    key, *rest = path
    values: Any = dict(value) if isinstance(value, dict) else list(value)
    values[key] = replaced(value[key], tuple(rest), new) if rest else new
    return values


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [JOBS[1:4], RUNS, {"builds": [{"number": 1, "timestamp": 1_772_611_200_000}, {"number": 2, "timestamp": 0}]}],
    ids=["jobs", "runs", "builds"],
)
def test_any_value_at_any_path_is_read_or_reported(answer: Any, empty: Path, pipegen: Pipegen) -> None:
    """For wrong types, missing, negative and huge values, the output is a load that fits the schema, or `PG806`."""
    validator = Draft202012Validator(json.loads((folder("schemas") / "fleet.schema.json").read_text(encoding="utf-8")))
    ends = set()
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        texts = [json.dumps(replaced(answer, path, new)) for path in paths(answer) for new in GARBAGE]
    finally:
        sys.set_int_max_str_digits(limit)
    for text in texts:
        (empty / "answer.json").write_text(text, encoding="utf-8")
        result = pipegen("simulate", "--record", "answer.json")
        ends.add(result.status)
        if result.status == 0:
            load = YAML(typ="safe").load(result.out)
            assert list(validator.iter_errors({"machines": [{"name": "m"}], **load})) == [], text
        else:
            assert (result.status, result.out) == (1, ""), text
            assert "error[PG806]" in result.err, text

    assert ends == {0, 1}


def test_names_are_text(empty: Path, pipegen: Pipegen) -> None:
    """A job's name may contain half of a surrogate pair, or a line break."""
    jobs = [job(1, "a\ud800\nb", "success", "2026-03-04T09:00:00Z", 1.0, 1)]
    (empty / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    result = pipegen("simulate", "--record", "jobs.json")

    assert result.status == 0
    assert '"a?\\nb": 1.0' in result.out


@pytest.mark.parametrize("option", [["--fleet", "jobs.json"], ["--find", "p95(wait) < 1m"], ["pipegen.yaml"]])
def test_the_files_say_everything(option: list[str], empty: Path, pipegen: Pipegen) -> None:
    """Options of simulations are rejected."""
    (empty / "jobs.json").write_text(json.dumps(JOBS), encoding="utf-8")
    result = pipegen("simulate", "--record", "jobs.json", *option)

    assert result.status == 2
    assert "the files have the load: omit" in result.err
