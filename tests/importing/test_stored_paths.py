"""Paths that GitLab's runner does not store."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import differences, from_text, messages


@pytest.mark.parametrize(
    ("path", "is_outside"),
    [
        *(("/var/core.*", True), ("/var/app/", True), ("/srv/b.txt", True), ("~/.npm", True), ("~/a/*", True)),
        *(("..", True), ("../../a", True), ("./.././../a/", True), ("a/../../b/../../c", True)),
        # These may be in the checkout: its location is unknown, but the runner names it by group and project.
        *(("/builds/group/project/out", False), ("/builds/group/project", False), ("/builds/group/*/", False)),
        *(("/**/out", False), ("/opt/*/out/a", False)),
        # The folder may be that of the project, or match it.
        *(("../sibling", False), ("./../sibling/out", False), ("../../group/proj/out", False), ("../../a/b", False)),
        *(("../*/out", False), ("../**/x", False), ("../../**", False), ("../../{a/b/c,d}", False)),
        *(("~/../out", False), ("a/../out", False)),
        *(("..hidden", False), ("~x", False), ("~", False), ("~/.cache", False), ("~/.tool/bin", False)),
    ],
)
def test_paths_outside_of_the_checkout_are_left_out(path: str, is_outside: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A program may create a folder with the name `~` if a variable or a command has it as text."""
    source = f"""\
test:
  variables: {{ CACHE: ~/.cache }}
  script: [make --tool=~/.tool/bin]
  artifacts: {{ paths: [out/, {path!r}] }}
"""
    result, report = from_text(source, tmp_path)
    words = f'the path "{path}" has no effect: GitLab stores only files of the checkout'

    assert (words in messages(report)) is is_outside
    assert ("artifacts: [out/]" in result.text) is is_outside
    assert differences(result) == []


def test_an_absolute_path_may_be_in_a_checkout_whose_location_the_job_sets(tmp_path: Path) -> None:
    """The variable can name any folder below that of builds."""
    job = "script: make, variables: { GIT_CLONE_PATH: $CI_BUILDS_DIR/a }, artifacts: { paths: [/b/a/out, out/] }"
    result, report = from_text(f"test: {{ {job} }}\n", tmp_path)

    assert "has no effect" not in messages(report)
    assert "paths: [/b/a/out, out/]" in result.text


def test_a_later_job_gets_no_files_from_outside_of_the_checkout(tmp_path: Path) -> None:
    """A job whose only artifacts are there leaves none."""
    source = """\
stages: [build, test]
build: { stage: build, script: make, artifacts: { paths: [/tmp/core] } }
test: { stage: test, needs: [build], script: make test }
"""
    result, _ = from_text(source, tmp_path)

    assert "artifacts" not in result.text
    assert "files_from" not in result.text
    assert differences(result) == []


@pytest.mark.parametrize(
    ("keys", "reported", "kept"),
    [
        (
            "artifacts: { paths: [/a], untracked: true, expose_as: x }",
            '"expose_as" has no effect: GitLab stores none of the paths',
            "raw: { gitlab: { artifacts: { untracked: true } } }",
        ),
        (
            "artifacts: { paths: [/a, $CI_COMMIT_SHA], expose_as: x }",
            '"expose_as" has no effect: GitLab shows no paths with variables',
            'artifacts: ["${setup.commit}"]',
        ),
        (
            "cache: { key: x, paths: [/a], unprotect: true }",
            'the path "/a" has no effect: GitLab stores only files of the checkout',
            "",
        ),
        (
            "cache: { key: x, paths: [/a], unprotect: true, untracked: true }",
            '"cache" of job "test" stays a key of GitLab: the key "untracked"',
            "cache: { key: x, paths: [/a], unprotect: true, untracked: true }",
        ),
    ],
)
def test_what_stays_without_stored_paths_has_its_own_reason(
    keys: str, reported: str, kept: str, tmp_path: Path
) -> None:
    """A cache of no files is none; untracked files need no paths."""
    result, report = from_text(f"test: {{ script: make, {keys} }}\n", tmp_path)

    assert reported in messages(report)
    assert kept in result.text if kept else "cache" not in result.text
    assert differences(result) == []
