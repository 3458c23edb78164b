"""`cases` give a script the same variables on all engines and in local runs."""

from __future__ import annotations

import json
import os
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
    checkout = repository(FILES)
    run, printed = RUNS[title]
    subprocess.run(("git", "-C", str(checkout), "checkout", "-q", "-B", run.branch), check=True)
    environment = {**os.environ, **GIT_ENVIRONMENT, **run.variables, "RECORDS": str(tmp_path / "notes")}
    (tmp_path / "notes").mkdir()
    command = (sys.executable, "-m", "pipegen", "run", CONFIG)
    subprocess.run(command, cwd=checkout, env=environment, check=True, capture_output=True)

    assert {path.name: path.read_text() for path in (tmp_path / "notes").iterdir()} == dict.fromkeys(
        ("a", "after", "b"), printed
    )
