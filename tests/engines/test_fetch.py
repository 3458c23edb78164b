"""Stages that fetch the repository in their own way, or not at all, on each engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from engines.containers import Containers
from engines.proof.execution import DECLARATIVE, HERE, SCRIPTED, Engine
from engines.proof.yaml_text import yaml_text
from engines.test_scripts import executed, note

ENGINES = {"scripted": SCRIPTED, "declarative": DECLARATIVE, "here": HERE}
NOTES = 'mkdir -p "$RECORDS/{0}"; find . -name .git -prune -o -type f -print | LC_ALL=C sort >"$RECORDS/{0}/files"'


def config() -> str:
    """Return the config: `build` leaves files for a stage without the repository, `untidy` others in its workspace."""
    stages = [
        {"name": "build", "script": ["mkdir dist && echo built >dist/app"], "artifacts": ["dist/"]},
        {"name": "untidy", "script": ["touch -- left .left ..left -left"], "fetch": {"depth": 1, "submodules": False}},
        {"name": "upload", "script": [NOTES.format("upload")], "fetch": False},
        {"name": "check", "script": [NOTES.format("check")], "fetch": {"shallow": False, "tags": True}},
    ]
    execution = [["build", "untidy", "upload", "check"]]
    return yaml_text({"pipelines": {"p": {"execution": execution, "stages": stages}}})


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_a_stage_without_the_repository_has_only_files_of_others(
    engine: Engine, containers: Containers, tmp_path: Path
) -> None:
    """On Jenkins, all stages use one workspace. The program for GitLab's files always copies the repository."""
    execution, records = executed(engine, containers, tmp_path, config(), {"source": "x"})

    assert set(execution.outcomes.values()) == {"success"}, execution.log
    assert note(records, "upload", "files") == "./dist/app\n"
    assert note(records, "check", "files").endswith("./dist/app\n./see\n./source\n")
