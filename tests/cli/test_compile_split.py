"""`pipegen compile` with child pipelines: several files for one target."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli.program import Pipegen

CONFIG = """
pipelines:
  p:
    stages:
      - { name: build, script: [make] }
      - { name: unit, script: [make check] }
"""


@pytest.fixture
def split(empty: Path) -> Path:
    """Return the current folder, with a config of two stages."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return empty


def children(folder: Path) -> list[Path]:
    """Return the files of child pipelines in *folder*."""
    return sorted((folder / ".gitlab-ci").iterdir())


def test_child_files_are_written_before_the_parent(split: Path, pipegen: Pipegen) -> None:
    """They are in a folder next to it, so that they exist when the parent starts them."""
    result = pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)

    assert result.status == 0
    assert result.err == f".gitlab-ci/{child.name} written\n.gitlab-ci.yml written\n"
    parent = (split / ".gitlab-ci.yml").read_text(encoding="utf-8")
    assert f"local: .gitlab-ci/{child.name}" in parent
    assert "# Options: --split unit" in parent


def test_the_header_of_a_child_file_is_true_for_any_output(split: Path, pipegen: Pipegen) -> None:
    """It names the job that starts the child, and no file."""
    pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "ci.yml")
    (child,) = children(split)

    assert child.read_text(encoding="utf-8").split("\n")[2] == (
        "# Part of a pipeline: its job 'child: unit' starts this child pipeline."
    )


def test_the_folder_of_the_parent_must_exist(split: Path, pipegen: Pipegen) -> None:
    """The message names this folder, and not the one for child files in it."""
    result = pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "missing/ci.yml")

    assert (result.status, f'the folder "{split / "missing"}" does not exist' in result.err) == (2, True)


def test_check_compares_child_files(split: Path, pipegen: Pipegen) -> None:
    """A manual edit of a child is reported, and `--force` overwrites it."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    before = child.read_text(encoding="utf-8")
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 0
    child.write_text(f"{before}# changed\n", encoding="utf-8")

    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 1
    assert pipegen("compile", "-t", "gitlab", "--split", "unit").status == 1
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--force").status == 0
    assert child.read_text(encoding="utf-8") == before


def test_left_over_child_files_are_reported(split: Path, pipegen: Pipegen) -> None:
    """Compile and check warn of them and do not delete them."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    written, checked = pipegen("compile", "-t", "gitlab"), pipegen("compile", "-t", "gitlab", "--check")

    text = f'warning[PG684]: ".gitlab-ci/{child.name}" is part of a pipeline, but no generated file names it'
    assert (written.status, text in written.err, checked.status, text in checked.err) == (0, True, 0, True)
    assert pipegen("compile", "-t", "gitlab", "--check", "--strict").status == 1
    assert child.exists()


def test_child_files_of_another_generated_file_are_not_overwritten(split: Path, pipegen: Pipegen) -> None:
    """Two files in one folder can share equal child files only, unless `--force` is given."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    before = child.read_text(encoding="utf-8")
    command = ("compile", "-t", "gitlab", "--split", "unit", "-o", "other.yml")
    assert pipegen(*command).err == f".gitlab-ci/{child.name} unchanged\nother.yml written\n"

    (split / "pipegen.yaml").write_text(CONFIG.replace("make check", "make all"), encoding="utf-8")
    result = pipegen(*command)

    assert result.status == 1
    assert result.err == (
        f"pipegen: .gitlab-ci/{child.name} belongs to .gitlab-ci.yml: delete that file, or write to another folder\n"
    )
    assert child.read_text(encoding="utf-8") == before
    assert pipegen(*command, "--force").status == 0
    assert child.read_text(encoding="utf-8") != before


def test_child_files_of_earlier_versions_are_left_over(split: Path, pipegen: Pipegen) -> None:
    """Their names had a digest, and their headers another note; `--all` does not generate them again."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    note = "# A child pipeline: the job 'child: unit' of .gitlab-ci.yml starts it.\n"
    text = re.sub("# Part of .*\n", note, child.read_text(encoding="utf-8"))
    (split / ".gitlab-ci/unit-0123456789.yml").write_text(text, encoding="utf-8")

    result = pipegen("compile", "--all")

    assert 'warning[PG684]: ".gitlab-ci/unit-0123456789.yml"' in result.err
    assert len(children(split)) == 2


def test_generated_files_in_the_folder_of_child_files_are_no_child_files(split: Path, pipegen: Pipegen) -> None:
    """A file that the user includes somewhere is neither left over nor excluded from the check."""
    (split / ".gitlab-ci").mkdir()
    assert pipegen("compile", "-t", "gitlab", "-o", ".gitlab-ci/build.yml").status == 0
    assert "PG684" not in pipegen("compile", "-t", "gitlab").err

    (split / "pipegen.yaml").write_text(CONFIG.replace("make check", "make all"), encoding="utf-8")

    assert "PG681" in pipegen("compile", "--check").err
    assert '".gitlab-ci/build.yml" differs' in pipegen("compile", "--check").err


@pytest.mark.usefixtures("split")
def test_check_writes_nothing(split: Path, pipegen: Pipegen) -> None:
    """The folder of the child files is not created either."""
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 1
    assert not (split / ".gitlab-ci").exists()


def test_child_files_are_next_to_the_parent(split: Path, pipegen: Pipegen) -> None:
    """The parent names them relative to the root of the repository."""
    (split / "ci").mkdir()
    pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "ci/main.yml")
    (child,) = children(split / "ci")

    assert f"local: ci/.gitlab-ci/{child.name}" in (split / "ci/main.yml").read_text(encoding="utf-8")


def test_paths_of_child_files_do_not_depend_on_the_folder(
    split: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """GitLab resolves them from the root of the repository."""
    (split / ".git").mkdir()
    (split / "ci").mkdir()
    monkeypatch.chdir(split / "ci")
    pipegen("compile", "../pipegen.yaml", "-t", "gitlab", "--split", "unit")
    (child,) = children(split / "ci")

    assert f"local: ci/.gitlab-ci/{child.name}" in (split / "ci/.gitlab-ci.yml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("split")
def test_standard_output_gets_all_files_with_their_names(pipegen: Pipegen) -> None:
    """It is a stream of documents with the parent last."""
    out = pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "-").out
    heads = [line for line in out.splitlines() if line.startswith("---")]

    assert len(heads) == 2
    assert heads[0] == "--- # .gitlab-ci/unit.yml"
    assert heads[1] == "--- # .gitlab-ci.yml"


@pytest.mark.usefixtures("split")
def test_split_with_another_target_is_wrong_usage(pipegen: Pipegen) -> None:
    """Only GitLab has child pipelines."""
    result = pipegen("compile", "-t", "jenkins", "--split", "unit")

    assert result.status == 2
    assert "--split is for the target gitlab" in result.err


def test_regeneration_of_all_files_keeps_those_of_users_and_of_others(split: Path, pipegen: Pipegen) -> None:
    """A part with a new name could replace any file; `--force` replaces it."""
    (split / "other.yaml").write_text(CONFIG.replace("unit", "deploy"), encoding="utf-8")
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    pipegen("compile", "other.yaml", "-t", "gitlab", "--split", "deploy", "-o", "other.yml")
    (child,) = (split / ".gitlab-ci").glob("unit*")
    (split / "other.yaml").write_text(CONFIG.replace("make check", "make all"), encoding="utf-8")
    other = split / "other.yml"
    other.write_text(other.read_text(encoding="utf-8").replace("--split deploy", "--split unit"), encoding="utf-8")
    before = child.read_text(encoding="utf-8")
    of_both = pipegen("compile", "--all")
    assert child.read_text(encoding="utf-8") == before
    child.write_text("mine: true\n", encoding="utf-8")
    of_users = pipegen("compile", "--all")

    assert (of_both.status, of_both.err) == (
        1,
        f"pipegen: two files would have different parts .gitlab-ci/{child.name}: write one to another folder\n",
    )
    assert (of_users.status, of_users.err) == (
        1,
        f"pipegen: .gitlab-ci/{child.name} was not written by pipegen: move it, or overwrite it with --force\n",
    )
    assert child.read_text(encoding="utf-8") == "mine: true\n"
    assert pipegen("compile", "--all", "--force").status == 0
