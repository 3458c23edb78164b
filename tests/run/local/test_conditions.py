"""Conditions evaluated against a local checkout."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from engines.conftest import GIT_ENVIRONMENT

from pipegen.compiler import analyse
from pipegen.config.files.load import decode
from pipegen.diagnostics.report import Report
from pipegen.run.local.checkout import LocalCheckout
from pipegen.run.local.conditions import RunContext

Git = Callable[..., None]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Return a function that calls git in a repository with one commit on main."""
    for name, value in GIT_ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str) -> None:
        subprocess.run(("git", "-C", str(tmp_path), *arguments), check=True, capture_output=True)

    call("init", "--quiet", "--initial-branch=main")
    (tmp_path / "Dockerfile").touch()
    call("add", "--all")
    call("commit", "--message=first")
    return call


def holds(folder: Path, condition: str, *, only_known: bool = False, **inputs: str) -> bool:
    """Return whether the condition of a stage holds in the checkout at *folder*."""
    text = (
        f"inputs: {{ level: low }}\npipelines: {{ p: {{ stages: [{{ name: a, script: x, when: {condition} }}] }} }}\n"
    )
    (plan,) = analyse(decode(text.encode(), "p.yml", "", Report()), (), Report()).plans
    context = RunContext(LocalCheckout(folder, only_known=only_known), {"level": "low", **inputs}, {"SET": "x1"})
    return context.holds(plan.jobs[0].condition)


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        ("{ branch: main }", True),
        ("{ branch: 'm*' }", True),
        ("{ not: { branch: main } }", False),
        ("{ branch: [dev, release/*] }", False),
        ("{ tag: '*' }", False),
        ("{ event: manual }", True),
        ("{ event: [push, merge_request] }", False),
        ("{ changes: docs/** }", True),
        ("{ exists: Dockerfile }", True),
        ("{ exists: '**/*.go' }", False),
        ("{ env: { SET: 'x?' } }", True),
        ("{ env: { UNSET: 'x*' } }", False),
        ("{ inputs: { level: low } }", True),
        ("{ inputs: { level: high } }", False),
        ("{ any: [{ branch: dev }, { env: { SET: x1 } }] }", True),
    ],
)
@pytest.mark.usefixtures("git")
def test_conditions_on_a_branch(tmp_path: Path, condition: str, *, is_true: bool) -> None:
    """The event is manual, so there is no base for comparison and all files count as changed."""
    assert holds(tmp_path, condition) is is_true


def test_conditions_on_a_detached_tag(tmp_path: Path, git: Git) -> None:
    """There is no branch then, as on an engine."""
    git("tag", "v1.0")

    assert not holds(tmp_path, "{ tag: 'v*' }")
    git("checkout", "--quiet", "v1.0")
    assert holds(tmp_path, "{ tag: 'v*' }")
    assert not holds(tmp_path, "{ branch: main }")


def test_changes_include_uncommitted_files(tmp_path: Path, git: Git) -> None:
    """In the user's tree, untracked files count; in a copy, only staged ones do."""
    git("checkout", "--quiet", "-b", "dev")
    (tmp_path / "committed").touch()
    git("add", "--all")
    git("commit", "--message=second")
    git("checkout", "--quiet", "main")
    (tmp_path / "elsewhere").touch()
    git("add", "--all")
    git("commit", "--message=third")
    git("checkout", "--quiet", "dev")
    (tmp_path / "new").touch()
    (tmp_path / "staged").touch()
    git("add", "staged")
    changed = "{ changes: { paths: [%s], base: %s } }"

    assert [holds(tmp_path, changed % (name, "main")) for name in ("committed", "new", "staged")] == [True] * 3
    assert not holds(tmp_path, changed % ("elsewhere", "main"))
    assert not holds(tmp_path, changed % ("new", "main"), only_known=True)
    assert holds(tmp_path, changed % ("staged", "main"), only_known=True)
    assert holds(tmp_path, changed % ("anything", "nowhere"))


def test_conditions_without_a_repository(tmp_path: Path) -> None:
    """Files exist on disk; there is no branch."""
    (tmp_path / "Dockerfile").touch()

    assert holds(tmp_path, "{ exists: Dockerfile }")
    assert not holds(tmp_path, "{ branch: main }")
