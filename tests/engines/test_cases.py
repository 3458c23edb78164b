"""`cases` give a script the same variables on all engines and in local runs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from engines.conftest import GIT_ENVIRONMENT
from engines.proof.execution import CONFIG
from engines.test_conditions import ENGINES, MakeRepository, executed
from plan.simulated_runs import Run

pytestmark = pytest.mark.xdist_group("conditions")

_QUOTED = 'it\'s "q" \\n & `x`'
_PRINT = 'printf "%s|" "$SERVER" "${OPTIONS-unset}" "${COUNT-unset}" "$OTHER" "${NONE-unset}" >"$RECORDS/'
STAGE = {
    "env": {"SERVER": "staging", "OPTIONS": "", "OTHER": "${setup.pipeline} $", "NONE": ""},
    "cases": [
        {"when": {"branch": "main", "not": {"event": "schedule"}}, "env": {"SERVER": "www", "OPTIONS": _QUOTED}},
        {"when": {"branch": "main"}, "env": {"SERVER": "nightly", "COUNT": 3}},
        {"when": {"env": {"MODE": "late"}}, "env": {"COUNT": "late"}},
    ],
}
FILES = {
    CONFIG: json.dumps(
        {
            "pipelines": {
                "p": {
                    "stages": [
                        {"name": "a", **STAGE, "script": [f'{_PRINT}a"'], "after": [f'{_PRINT}after"']},
                        {"name": "b", **STAGE, "when": {"branch": "*"}, "script": [f'{_PRINT}b"']},
                        {"name": "c", **STAGE, "when": {"event": "schedule"}, "script": [f'{_PRINT}c"']},
                    ]
                }
            }
        }
    )
}
# The runs, and the output of the stages in them.
RUNS = {
    "main": (Run(event="push", branch="main"), f"www|{_QUOTED}|unset|p $||"),
    "schedule": (Run(event="schedule", branch="main"), "nightly||3|p $||"),
    "dev": (Run(event="push", branch="dev"), "staging||unset|p $||"),
    "late": (Run(event="push", branch="dev", variables={"MODE": "late"}), "staging||late|p $||"),
}

# Text that GitLab, Groovy or a shell could read as more than text, at the end of which line breaks count.
_HOSTILE = "$HOME ${PATH} $$ $(id) `id` 'q' \"d\" \\ \\n %s ;; esac\n  & \n"
# `env` expands `${NAME}`.
_LITERAL = _HOSTILE.replace("${PATH} ", "")
_COMPUTED = {
    "env": {"OTHER": "${first.text}", "SERVER": "${BASE}", "OPTIONS": "for ${SERVER}", "NONE": ""},
    "cases": [
        {
            "when": {"branch": "main", "not": {"event": "schedule"}},
            "env": {
                "NEW": "${SERVER}!",
                "SERVER": "${OTHER}-${setup.branch}",
                "OTHER": "<${first.text}>",
                "NONE": "no",
            },
        },
        {"when": {"branch": "main"}, "env": {"SERVER": "plain", "COUNT": "${SERVER} ${setup.pipeline}"}},
        {"when": {"env": {"MODE": "late"}}, "env": {"COUNT": _LITERAL, "NONE": ""}},
    ],
}
COMPUTED_FILES = {
    CONFIG: json.dumps(
        {
            "pipelines": {
                "p": {
                    "execution": [["first", "a"]],
                    "stages": [
                        {
                            "name": "first",
                            "script": [f"printf %s {shlex.quote(_HOSTILE)} >text"],
                            "outputs": {"text": {"file": "text"}},
                        },
                        {
                            "name": "a",
                            **_COMPUTED,
                            "script": [f'{_PRINT}a"', 'printf %s "${NEW-unset}" >>"$RECORDS/a"'],
                            "after": [f'{_PRINT}after"', 'printf %s "${NEW-unset}" >>"$RECORDS/after"'],
                        },
                    ],
                }
            }
        }
    )
}
# The output of the stage in each of the runs.
COMPUTED_TEXTS = {
    "main": "{o}-main|for {o}-main|unset|{o}|no|{o}-main!".replace("{o}", f"<{_HOSTILE}>"),
    "schedule": f"plain|for plain|plain p|{_HOSTILE}||unset",
    "dev": f"|for |unset|{_HOSTILE}||unset",
    "late": f"|for |{_LITERAL}|{_HOSTILE}||unset",
}


@pytest.mark.parametrize("name", ENGINES)
def test_a_case_computes_values(name: str, repository: MakeRepository, tmp_path: Path) -> None:
    """From outputs, setup values and other variables, each of which has its own value of the case."""
    checkout = repository(COMPUTED_FILES)
    subprocess.run(("git", "-C", str(checkout), "branch", "dev"), check=True)
    for title, (run, _) in RUNS.items():
        execution = executed(ENGINES[name], checkout, tmp_path / title, run)
        assert execution.notes == dict.fromkeys(("a", "after"), COMPUTED_TEXTS[title]), execution.log


@pytest.mark.parametrize("name", ENGINES)
def test_the_first_case_that_holds_applies(name: str, repository: MakeRepository, tmp_path: Path) -> None:
    """In the script and after it, with and without a condition of the stage; without a case, `env` has its values."""
    checkout = repository(FILES)
    subprocess.run(("git", "-C", str(checkout), "branch", "dev"), check=True)
    for title, (run, printed) in RUNS.items():
        execution = executed(ENGINES[name], checkout, tmp_path / title, run)
        stages = ["a", "after", "b", *(["c"] if run.event == "schedule" else [])]
        assert execution.notes == dict.fromkeys(stages, printed), execution.log


@pytest.mark.parametrize("title", ["main", "dev", "late"])
def test_a_local_run_chooses_the_case_of_its_branch(title: str, repository: MakeRepository, tmp_path: Path) -> None:
    """A variable of the environment counts, too."""
    run, printed = RUNS[title]
    notes = _local_notes(repository(FILES), run, tmp_path)

    assert notes == dict.fromkeys(("a", "after", "b"), printed)


@pytest.mark.parametrize("title", ["main", "dev", "late"])
def test_a_local_run_computes_the_same_values(title: str, repository: MakeRepository, tmp_path: Path) -> None:
    """Also in the commands after the script."""
    notes = _local_notes(repository(COMPUTED_FILES), RUNS[title][0], tmp_path)

    assert notes == dict.fromkeys(("a", "after"), COMPUTED_TEXTS[title])


def _local_notes(checkout: Path, run: Run, tmp_path: Path) -> dict[str, str]:
    """Return what the stages print in a local run on the branch of *run*."""
    subprocess.run(("git", "-C", str(checkout), "checkout", "-q", "-B", run.branch), check=True)
    environment = {**os.environ, **GIT_ENVIRONMENT, **run.variables, "RECORDS": str(tmp_path / "notes")}
    (tmp_path / "notes").mkdir()
    command = (sys.executable, "-m", "pipegen", "run", CONFIG)
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True)

    return {path.name: path.read_text() for path in (tmp_path / "notes").iterdir()}
