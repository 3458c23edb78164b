"""Fixtures of tests on engines."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from engines import containers as containers_module
from engines.containers import Containers
from engines.jenkins_harness import Build, available, run
from engines.requirement import require

# Commits are the same wherever tests run, with any configuration of git.
GIT_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", "Test"), ("EMAIL", "test@example.org"), ("DATE", "2022-01-31T16:47:55Z"))
    },
}


@pytest.fixture(scope="session")
def containers() -> Iterator[Containers]:
    """Return containers and a registry, shared by all tests of a process."""
    require(containers_module.available())
    with containers_module.start() as started:
        yield started


@pytest.fixture
def repository(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Return a function that creates a git repository with one commit, on branch main, of the given files.

    A file that begins with `#!` is executable.
    """
    numbers = count(1)

    def make(files: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / f"repository-{next(numbers)}"
        for name, text in files.items():
            content = text.encode() if isinstance(text, str) else text
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if content.startswith(b"#!") else 0o644)
        for command in (
            "init --quiet --initial-branch=main",
            "add --all",
            "commit --quiet --allow-empty --message=all",
        ):
            subprocess.run(("git", "-C", str(folder), *command.split()), env=environment, check=True)
        return folder

    environment = {**os.environ, **GIT_ENVIRONMENT}
    return make


@pytest.fixture
def jenkins(repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path) -> Callable[..., Build]:
    """Return a function that runs the text of a Jenkinsfile on a repository with some files."""
    require(available())

    def start(text: str, files: Mapping[str, str | bytes] | None = None, **settings: Any) -> Build:
        return run(text, repository(files or {"README": "demo"}), workdir=tmp_path / "build", **settings)

    return start
