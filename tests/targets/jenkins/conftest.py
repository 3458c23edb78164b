"""Fixtures for tests of generated Jenkinsfiles."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from engines import jenkins_harness
from engines.requirement import require

_GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{role}_NAME": "Test" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "test@example.org" for role in ("AUTHOR", "COMMITTER")},
}

Run = Callable[..., jenkins_harness.Build]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Give a function that runs a Jenkinsfile in a repository with one commit, on branch main."""
    require(jenkins_harness.available())
    repository = tmp_path / "repository"
    environment = {**os.environ, **_GIT}
    for command in (
        "init --quiet --initial-branch=main",
        "commit --quiet --allow-empty --message=first",
        "config receive.denyCurrentBranch ignore",
    ):
        repository.mkdir(exist_ok=True)
        subprocess.run(("git", "-C", str(repository), *command.split()), env=environment, check=True)

    def run(text: str, **options: Any) -> jenkins_harness.Build:
        folder = tmp_path / f"build-{len(list(tmp_path.iterdir()))}"
        return jenkins_harness.run(text, repository, workdir=folder, agent_env=environment, **options)

    return run
