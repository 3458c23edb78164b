"""`--changed-since`: the parts of a config that changed files affect."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.program import Pipegen
from cli.repositories import commit, git, repository

CONFIG = """\
include: ci/templates.yaml
pipelines:
  all:
    stages:
      - { name: api, when: { changes: ['api/**'] }, script: [make api] }
      - { name: web, when: { changes: ['web/**'] }, script: [make web] }
      - { name: release, extends: quick, script: [make release] }
    execution:
      - [[api, web], release]
"""
FILES = {
    "pipegen.yaml": CONFIG,
    "ci/templates.yaml": "templates: { quick: { timeout: 5 minutes } }\n",
    "api/main.py": "1\n",
    "web/main.js": "1\n",
}


@pytest.fixture
def root(empty: Path) -> Path:
    """Return the current folder, a repository of two services."""
    return repository(empty, FILES)


def stages(pipegen: Pipegen, since: str) -> list[str]:
    """Return the stages that remain with `--changed-since` *since*."""
    result = pipegen("plan", "--format", "json", "--changed-since", since)

    assert result.status == 0
    return [job["stage"] for plan in json.loads(result.out)["pipelines"] for job in plan["jobs"]]


@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
def test_compile_includes_only_changed_stages(target: str, root: Path, pipegen: Pipegen) -> None:
    """The header names the option, and a diagnostic counts the other stages."""
    commit(root, {"web/main.js": "2\n"})
    result = pipegen("compile", "-t", target, "--changed-since", "HEAD~1", "-o", "-")

    assert (result.status, "make web" in result.out, "make api" in result.out) == (0, True, False)
    assert "Options: --changed-since 'HEAD~1'\n" in result.out
    assert 'info[PG690]: 1 stage of pipeline "all" is left out' in result.err


def test_settings_and_options_may_name_a_removed_stage(root: Path, pipegen: Pipegen) -> None:
    """They do not depend on which files have changed."""
    named = "targets: { gitlab: { pages: { stage: api, publish: public } } }\n"
    commit(root, {"pipegen.yaml": named + CONFIG})
    commit(root, {"web/main.js": "2\n"})
    result = pipegen("compile", "-t", "gitlab", "--changed-since", "HEAD~1", "--split", "api", "-o", "-")

    assert (result.status, "error" in result.err) == (0, False)
    assert "Options: --split api --changed-since 'HEAD~1'" in result.out


def test_run_includes_only_changed_stages(root: Path, pipegen: Pipegen) -> None:
    """Without the option, all files count as changed."""
    quiet = CONFIG.replace("make", "echo")
    commit(root, {"pipegen.yaml": quiet})
    commit(root, {"web/main.js": "2\n"})
    some, every = (pipegen("run", "--dry-run", *options).out for options in (("--changed-since", "HEAD~1"), ()))

    assert ("web" in some, "api" in some, "release" in some) == (True, False, True)
    assert "api" in every


def test_a_branch_is_compared_with_the_merge_base(root: Path, pipegen: Pipegen) -> None:
    """Later commits of the other branch do not count; uncommitted changes and new files do."""
    git(root, "checkout", "--quiet", "-b", "topic")
    commit(root, {"web/main.js": "2\n"})
    git(root, "checkout", "--quiet", "main")
    commit(root, {"api/main.py": "2\n"})
    git(root, "checkout", "--quiet", "topic")

    assert stages(pipegen, "main") == ["web", "release"]
    (root / "api" / "new.py").write_text("1\n", encoding="utf-8")
    assert stages(pipegen, "main") == ["api", "web", "release"]


def test_a_remote_branch_is_resolved(root: Path, pipegen: Pipegen) -> None:
    """CI engines check out a commit and create no local branches."""
    first = git(root, "rev-parse", "HEAD")
    commit(root, {"web/main.js": "2\n"})
    git(root, "checkout", "--quiet", "--detach")
    git(root, "update-ref", "refs/remotes/origin/trunk", first)

    assert stages(pipegen, "trunk") == ["web", "release"]


@pytest.mark.parametrize("file", ["pipegen.yaml", "ci/templates.yaml"])
def test_a_changed_config_keeps_every_stage(file: str, root: Path, pipegen: Pipegen) -> None:
    """Included files are part of the config; path filters are removed."""
    commit(root, {file: f"# new\n{FILES[file]}"})
    result = pipegen("compile", "-t", "gitlab", "--changed-since", "HEAD~1", "-o", "-")

    assert ("make api" in result.out, "make web" in result.out, "changes" in result.out) == (True, True, False)
    assert f'every stage is kept: the config itself has changed since "HEAD~1", in {file}' in result.err


def test_the_first_run_of_a_branch_keeps_every_stage(root: Path, pipegen: Pipegen) -> None:
    """Engines then pass a commit of zeros, which cannot be compared."""
    assert root.is_dir()
    assert stages(pipegen, "0" * 40) == ["api", "web", "release"]


def test_paths_are_relative_to_the_repository_root(
    root: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This also holds in a subfolder, and for a config in one."""
    commit(root, {"ci/pipegen.yaml": CONFIG.replace("ci/", ""), "pipegen.yaml": "pipelines: {}\n"})
    commit(root, {"api/main.py": "2\n"})
    monkeypatch.chdir(root / "ci")

    assert stages(pipegen, "HEAD~1") == ["api", "release"]


def test_a_pipeline_without_changes_has_one_placeholder_stage(root: Path, pipegen: Pipegen) -> None:
    """It is a valid child pipeline, whatever characters the revision contains."""
    git(root, "tag", "it's-$HOME")
    commit(root, {"README.md": "new\n"})
    result = pipegen("compile", "-t", "gitlab", "--changed-since", "it's-$HOME", "-o", "-")

    assert result.status == 0
    assert "nothing to do:" in result.out
    assert "PG691" in result.err


@pytest.mark.parametrize(
    ("since", "message"),
    [
        ("nowhere", 'unknown revision "nowhere"; fetch it first'),
        ("--output=x", 'unknown revision "--output=x"'),
        ("", "but its value is empty"),
        ("HEAD\n", "unknown revision"),
    ],
)
def test_an_unknown_revision_is_wrong_usage(since: str, message: str, root: Path, pipegen: Pipegen) -> None:
    """The message says what to do, and nothing is written."""
    result = pipegen("compile", "-t", "gitlab", f"--changed-since={since}")

    assert (result.status, message in result.err) == (2, True)
    assert not (root / ".gitlab-ci.yml").exists()


def test_changed_since_outside_a_repository_is_wrong_usage(here: Path, pipegen: Pipegen) -> None:
    """There is no history to compare with."""
    result = pipegen("compile", "-t", "gitlab", "--changed-since", "main")

    assert (result.status, "there is no repository at or above" in result.err) == (2, True)
    assert here.is_dir()


def test_a_shallow_clone_without_the_merge_base_is_an_error(
    root: Path, tmp_path: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guess would include too many or too few stages; the message says what to fetch."""
    git(root, "checkout", "--quiet", "-b", "topic")
    commit(root, {"web/main.js": "2\n"})
    git(root, "checkout", "--quiet", "main")
    commit(root, {"api/main.py": "2\n"})
    clone = tmp_path / "clone"
    git(root, "clone", "--quiet", "--depth=1", "--no-single-branch", "--branch=topic", f"file://{root}", str(clone))
    monkeypatch.chdir(clone)
    cut = pipegen("graph", "--changed-since", "main")
    git(clone, "fetch", "--quiet", "--unshallow")

    assert (cut.status, "the clone is shallow" in cut.err) == (2, True)
    assert stages(pipegen, "main") == ["web", "release"]


def test_a_checkout_of_another_user_shows_the_message_of_git(
    root: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Containers often run as a different user than the one that checked out."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("LC_ALL", "C")
    result = pipegen("graph", "--changed-since", "HEAD")

    assert (result.status, "dubious ownership" in result.err) == (2, True)
    assert root.is_dir()


@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
def test_compile_leaves_whole_pipelines_out(target: str, empty: Path, pipegen: Pipegen) -> None:
    """Their scripts are not checked, and those of a pipeline that prints that nothing has changed need no check."""
    pipelines = "".join(
        f"  {name}: {{ when: {{ changes: {name}/** }}, stages: [{{ name: unit, script: make {name} }}] }}\n"
        for name in ("api", "web", "docs")
    )
    repository(empty, {"pipegen.yaml": f"pipelines:\n{pipelines}", "web/main.js": "1\n"})
    commit(empty, {"web/main.js": "2\n"})
    result = pipegen("compile", "-t", target, "--changed-since", "HEAD~1", "-o", "-")
    unchanged = pipegen("compile", "-t", target, "--changed-since", "HEAD", "-o", "-")

    assert (result.status, "make web" in result.out, "make api" in result.out) == (0, True, False)
    assert (unchanged.status, "make" in unchanged.out, "none of the files" in unchanged.out) == (0, False, True)
