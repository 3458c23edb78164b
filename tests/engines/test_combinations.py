"""Combinations of a matrix and called pipelines behave the same on all engines."""

import re
from itertools import product
from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof import worlds
from engines.proof.execution import CONFIG, GITLAB_LOCAL, HERE, SCRIPTED, Engine, Execution, World, absent, execute
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

pytestmark = pytest.mark.xdist_group("combinations")

DECLARATIVE = Engine(target="jenkins", style="declarative", interpreter=("busybox", "sh"))
ENGINES = {"gitlab": GITLAB_LOCAL, "scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
CANARY = "/tmp/pipegen-combinations-canary"  # noqa: S108 - nobody makes it
HOSTILE = f'it\'s "$(touch {CANARY})"; `touch {CANARY}` \\ ${{x}} ünïcödé'


def combinations(pythons: list[object], systems: list[str]) -> dict[str, tuple[str, str]]:
    """Return the values of each combination by its name, one of them excluded."""
    plain = {value: re.sub("[$`\"'\\\\]", "", value) for value in systems}
    shown = {value: name if len(name) <= 40 else f"{name[:39]}…" for value, name in plain.items()}
    return {
        f"{python}, {shown[system]}": (str(python), system)
        for python, system in product(pythons, systems)
        if (str(python), system) != ("3.11", "linux")
    }


def matrix(pythons: list[object], systems: list[str], *, read_by_combinations: bool) -> str:
    """Return a config: combinations with outputs and artifacts, optional readers with the same matrix, a join."""
    read = "test" if read_by_combinations else "build"
    build = {
        "name": "build",
        "matrix": {"python": pythons, "os": systems, "exclude": [{"python": "3.11", "os": "linux"}]},
        "env": {"OS": "<${matrix.os}>"},
        "script": [
            "mkdir dist; printf %s '${matrix.python} ${matrix.os}' >dist/value",
            'printf "%s\\n%s\\n" ${matrix.python} "$OS" >"$PIPEGEN_OUTPUTS/value"',
        ],
        "outputs": ["value"],
        **({"artifacts": ["dist/"]} if read_by_combinations else {}),
    }
    test = {
        "name": "test",
        "matrix": {"from": "build"},
        "script": [
            'test "$(cat dist/value)" = "${matrix.python} ${matrix.os}"',
            'printf %s "${build.value}" >"$PIPEGEN_OUTPUTS/value"',
        ],
        "outputs": ["value"],
    }
    join = {
        "name": "join",
        "env": {"ALL": f"${{{read}.value}}"},
        "script": [
            f'printf %s "${{{read}.value}}" >"$RECORDS/all"; printf %s "$ALL" >"$RECORDS/env"',
            f"printf %s '${{{read}[python=3.10, os=linux].value}}' >\"$RECORDS/one\"",
        ],
        "files_from": [],
    }
    # 3.10 is a number in YAML, and keeps its spelling.
    return yaml_text(
        {"pipelines": {"m": {"stages": [build, *([test] if read_by_combinations else []), join]}}}
    ).replace('"3.10"', "3.10")


def executed(engine: Engine, containers: Containers, folder: Path, text: str) -> tuple[Execution, Path]:
    """Return the execution of the config *text* on *engine*, and the folder with notes of its stages."""
    require(absent(engine))
    records = folder / "notes"
    records.mkdir()
    world = World(
        containers=containers,
        repository=worlds.repository(folder / "repository", files={CONFIG: text, "sub/here": ""}),
        folder=folder / "world",
        variables={"RECORDS": str(records)},
    )
    return execute(engine, world), records


@pytest.mark.parametrize(
    ("name", "pythons", "systems", "read_by_combinations"),
    [
        # gitlab-ci-local itself executes text between backticks when it prints a script.
        ("gitlab", ["3.10", "3.11"], ["linux", "mac os", HOSTILE.replace("`", "")], True),
        ("scripted", ["3.10", "3.11"], ["linux", "mac os", HOSTILE], True),
        ("declarative", ["3.10", "3.11"], ["linux", "mac os", HOSTILE], True),
        ("scripted", ["3.10", "3.11", "3.12"], ["linux", "mac os", HOSTILE, "true"], False),
        # Combinations with plain values share their scripts in the file.
        *((name, ["3.10", "3.11", "3.12"], ["linux", "macos"], True) for name in ("gitlab", "scripted", "declarative")),
    ],
)
def test_a_join_reads_outputs_of_all_combinations(
    *,
    containers: Containers,
    tmp_path: Path,
    name: str,
    pythons: list[object],
    systems: list[str],
    read_by_combinations: bool,
) -> None:
    """In order, byte for byte; each combination gets its own files and values."""
    Path(CANARY).unlink(missing_ok=True)
    text = matrix(pythons, systems, read_by_combinations=read_by_combinations)

    done, records = executed(ENGINES[name], containers, tmp_path, text)

    expected = combinations(pythons, systems)
    stages = {
        *(
            f"{stage}: {combination}"
            for stage in ("build", "test")[: 1 + read_by_combinations]
            for combination in expected
        ),
        "join",
    }
    values = "\n".join(f"{python}\n<{system}>\n" for python, system in expected.values())
    assert done.outcomes == dict.fromkeys(stages, "success"), done.log
    assert (records / "all").read_bytes().decode() == values
    assert (records / "env").read_bytes().decode() == values
    assert (records / "one").read_text("utf-8") == "3.10\n<linux>\n"
    assert not Path(CANARY).exists()


@pytest.mark.parametrize("name", ENGINES)
def test_combinations_wait_only_for_their_equals(containers: Containers, tmp_path: Path, name: str) -> None:
    """A failing combination stops its successors, but no parallel combination."""
    text = yaml_text(
        {
            "pipelines": {
                "m": {
                    "stages": [
                        {"name": "build", "matrix": {"x": ["1", "2"]}, "script": "test '${matrix.x}' = 2"},
                        {"name": "test", "matrix": {"from": "build"}, "script": "true"},
                        {"name": "join", "script": "true"},
                    ]
                }
            }
        }
    )

    done, _ = executed(ENGINES[name], containers, tmp_path, text)

    assert done.outcomes == {
        "build: 1": "failed",
        "build: 2": "success",
        "test: 1": "skipped",
        "test: 2": "success",
        "join": "skipped",
    }


@pytest.mark.parametrize("name", ENGINES)
def test_a_called_pipeline_runs_in_place_of_its_stage(containers: Containers, tmp_path: Path, name: str) -> None:
    """Its stages have their own folder, values and files; the stages after the call wait for all of them."""
    checks = {
        "directory": "sub",
        "stages": [
            {"name": "lint", "script": ["cat ../made >$PIPEGEN_OUTPUTS/n"], "outputs": ["n"]},
            {
                "name": "unit",
                "matrix": {"suite": ["fast", "slow"]},
                "script": ["sleep 1; printf '%s %s' ${matrix.suite} ${lint.n} >${matrix.suite}"],
                "artifacts": ["${matrix.suite}"],
            },
            {"name": "alone", "script": "true"},
        ],
        "execution": [["lint", "unit"], ["alone"]],
    }
    main = {
        "stages": [
            {"name": "build", "script": "printf 7 >made", "artifacts": ["made"]},
            {"name": "checks", "pipeline": "checks"},
            {"name": "last", "script": 'cat sub/fast sub/slow >"$RECORDS/last"', "files_from": ["checks"]},
        ]
    }
    text = yaml_text({"pipelines": {"main": main, "checks": checks}})
    inner = ["lint", "unit: fast", "unit: slow", "alone"]

    done, records = executed(ENGINES[name], containers, tmp_path, text)

    ran = {stage for stage, outcome in done.outcomes.items() if outcome == "success"}
    assert ran == {
        f"main: {stage}" for stage in ("build", *(f"checks / {combination}" for combination in inner), "last")
    }, done.log
    assert (records / "last").read_text("utf-8") == "fast 7slow 7"
    for combination in inner:
        times = done.times[f"main: checks / {combination}"]
        assert done.times["main: build"][1] <= times[0]
        assert times[1] <= done.times["main: last"][0]


@pytest.mark.parametrize("name", ENGINES)
def test_parts_have_their_numbers(containers: Containers, tmp_path: Path, name: str) -> None:
    """The commands that all scripts share run in the same shell before those of each part."""
    setup = ["START=started", "set -u", "end() { cat parts/*; }"]
    part = {
        "name": "part",
        "matrix": {"part": [1, 2, 3]},
        "env": {"SHARD": "${matrix.part}"},
        "script": [*setup, "mkdir parts", 'echo "$START $SHARD ${matrix.part}/3" >"parts/${matrix.part}"'],
        "artifacts": ["parts/${matrix.part}"],
    }
    other = {"name": "other", "script": [*setup, 'test "$START" = started']}
    join = {"name": "join", "script": [*setup, 'end >"$RECORDS/all"']}

    text = yaml_text({"pipelines": {"m": {"stages": [part, other, join]}}})
    done, records = executed(ENGINES[name], containers, tmp_path, text)

    assert done.outcomes == dict.fromkeys(("part: 1", "part: 2", "part: 3", "other", "join"), "success"), done.log
    assert (records / "all").read_text() == "started 1 1/3\nstarted 2 2/3\nstarted 3 3/3\n"


@pytest.mark.parametrize("name", ENGINES)
def test_flags_of_combinations_are_exact(containers: Containers, tmp_path: Path, name: str) -> None:
    """Empty values, blanks and quotes among them, and the default of an axis that only one combination has."""
    flags = ["-O2 -g", "", 'it\'s "a"; b', "*", "a\\nb"]
    unit = {
        "name": "unit",
        "matrix": {"flags": flags, "include": [{"flags": "-x y", "mode": "full test"}]},
        "env": {"FLAGS": "${matrix.flags}", "MODE": "${matrix.mode|quick}"},
        "script": [
            'printf \'<%s|%s|%s|%s>\\n\' ${matrix.flags} "$FLAGS" "$MODE" ${matrix.mode|quick} >>"$RECORDS/all"',
        ],
    }

    done, records = executed(ENGINES[name], containers, tmp_path, yaml_text({"pipelines": {"m": {"stages": [unit]}}}))

    assert [*done.outcomes.values()] == ["success"] * 6, done.log
    assert set((records / "all").read_text("utf-8").splitlines()) == {
        *(f"<{each}|{each}|quick|quick>" for each in flags),
        "<-x y|-x y|full test|full test>",
    }
