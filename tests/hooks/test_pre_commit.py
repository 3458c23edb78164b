"""The hooks for pre-commit, installed by pre-commit from this checkout in a temporary repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
# The hook runs the tests of this config.
OPTIONS = {"pipegen-test": {"args": ["api/pipegen.yaml"]}}
# The files of the checkout that an installation uses.
PACKAGE = (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE", "pipegen", "templates", "schemas")

CONFIG = """\
include: ../ci/parts.yaml
targets: { jenkins: {} }
pipelines: { NAME: { stages: [{ name: build, extends: base, script: [make NAME] }] } }
"""
PARTS = 'templates: { base: { image: "alpine:3" } }\n'


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The exit code of a commit, and its output."""

    status: int
    shown: str

    @property
    def hooks(self) -> Mapping[str, str]:
        """The result that pre-commit shows for each hook."""
        return dict(re.findall(r"^(pipegen \w+)\.*(?:\(.*\))?(\w+)$", self.shown, re.MULTILINE))


def git(folder: Path, *arguments: str) -> None:
    """Call git in *folder*."""
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def begin(folder: Path) -> Path:
    """Return *folder* as a repository with a configured author."""
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "A. Person")
    git(folder, "config", "user.email", "person@example.org")
    return folder


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with this checkout, including uncommitted changes."""
    pytest.importorskip("pre_commit", reason="pre-commit is not here")
    pytest.importorskip("hatchling", reason="hatchling, which builds the wheel, is not here")
    folder = begin(tmp_path_factory.mktemp("package"))
    for name in PACKAGE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "As it is")
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return variables that keep pre-commit's files in a temporary folder, and pip off the network.

    pip builds with the packages of these tests and installs only the wheel, and the hook finds the libraries of the
    tests.
    """
    home = tmp_path_factory.mktemp("home")
    values = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PIP_", "PRE_COMMIT"))}
    return {
        **values,
        "PRE_COMMIT_HOME": str(home),
        "PRE_COMMIT_COLOR": "never",
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.fixture
def commit(package: Path, environment: dict[str, str], tmp_path: Path) -> Callable[[], CommitResult]:
    """Return a call that commits everything in the current folder, a monorepo with the hooks installed."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=package, check=True, capture_output=True, text=True)
    hooks = {
        "repo": str(package),
        "rev": head.stdout.strip(),
        "hooks": [{"id": name, **OPTIONS.get(name, {})} for name in HOOKS],
    }
    folder = begin(tmp_path)
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [hooks]}), encoding="utf-8")
    run = [sys.executable, "-m", "pre_commit"]
    subprocess.run([*run, "install"], cwd=folder, env=environment, check=True, capture_output=True)

    def call() -> CommitResult:
        git(folder, "add", "-A")
        ended = subprocess.run(
            ["git", "commit", "-m", "A change"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return CommitResult(ended.returncode, ended.stdout + ended.stderr)

    (folder / "ci").mkdir()
    (folder / "ci/parts.yaml").write_text(PARTS, encoding="utf-8")
    for name in ("api", "web"):
        (folder / name).mkdir()
        (folder / name / "pipegen.yaml").write_text(CONFIG.replace("NAME", name), encoding="utf-8")
        call_in(folder / name, "compile")
    call_in(folder / "api", "test", "--write")
    return call


def call_in(folder: Path, *arguments: str) -> None:
    """Call pipegen in *folder*, as before its first commit."""
    subprocess.run(
        [sys.executable, "-c", "from pipegen.__main__ import main; main()", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )


@pytest.mark.slow
def test_hooks_check_and_compile_on_commit(commit: Callable[[], CommitResult], tmp_path: Path) -> None:
    """Stale files are regenerated and stop the commit once; unrelated changes skip the hooks."""
    tested = {"pipegen test": "Passed"}
    sound = commit()
    passed = {"pipegen check": "Passed", "pipegen compile": "Passed", **tested}
    assert (sound.status, sound.hooks) == (0, passed), sound.shown

    (tmp_path / "README.md").write_text("Two services.\n", encoding="utf-8")
    other = commit()
    assert (other.status, other.hooks) == (0, dict.fromkeys(passed, "Skipped"))

    (tmp_path / "ci/parts.yaml").write_text(PARTS.replace("3", "4"), encoding="utf-8")
    stale = commit()
    assert (stale.status, stale.hooks) == (1, {"pipegen check": "Passed", "pipegen compile": "Failed", **tested})
    assert "files were modified by this hook" in stale.shown
    assert "api/Jenkinsfile written\nweb/Jenkinsfile written\n" in stale.shown
    assert "alpine:4" in (tmp_path / "web/Jenkinsfile").read_text(encoding="utf-8")
    assert commit().status == 0

    path = tmp_path / "api/Jenkinsfile"
    path.write_text(path.read_text(encoding="utf-8").replace("make api", "make it"), encoding="utf-8")
    edited = commit()
    assert (edited.status, edited.hooks) == (1, {"pipegen check": "Passed", "pipegen compile": "Failed", **tested})
    assert 'error[PG680]: "api/Jenkinsfile" was changed after pipegen wrote it' in edited.shown
    git(tmp_path, "checkout", "HEAD", "--", "api/Jenkinsfile")

    config = tmp_path / "web/pipegen.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("extends: base", "extends: bass"), encoding="utf-8")
    broken = commit()
    assert (broken.status, broken.hooks) == (1, {"pipegen check": "Failed", "pipegen compile": "Failed", **tested})
    assert "error[PG330]" in broken.shown
    git(tmp_path, "checkout", "HEAD", "--", "web/pipegen.yaml")

    config = tmp_path / "api/pipegen.yaml"
    config.write_text(config.read_text(encoding="utf-8").replace("name: build", "name: make"), encoding="utf-8")
    renamed = commit()
    assert (renamed.status, renamed.hooks["pipegen test"]) == (1, "Failed"), renamed.shown


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("pipegen.yaml", True),
        (".pipeline/config.yaml", True),
        (".pipeline/blubber.yaml", True),
        ("services/api/ci/parts.yml", True),
        (".gitlab-ci.yml", True),
        ("services/api/.gitlab-ci/unit-0123456789.yml", True),
        ("Jenkinsfile", True),
        ("ci/Jenkinsfile.release", True),
        ("ci/release.jenkinsfile", True),
        ("ci/release.groovy", True),
        ("pyproject.toml", True),
        ("pipegen.toml", True),
        ("src/main.py", False),
        ("README.md", False),
        ("yaml.py", False),
        ("Cargo.toml", False),
    ],
)
def test_files_that_start_a_hook(hook: str, path: str, counts: bool) -> None:  # noqa: FBT001 - a row of a table
    """They may be a config, an included file or a generated file."""
    assert (re.search(HOOKS[hook]["files"], path) is not None) is counts
