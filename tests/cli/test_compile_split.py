"""`pipegen compile` with child pipelines: several files for one target."""

from __future__ import annotations

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


def test_children_are_written_before_the_parent(split: Path, pipegen: Pipegen) -> None:
    """Each into the folder beside it; what the parent starts is there when the parent is."""
    result = pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)

    assert result.status == 0
    assert result.err == f".gitlab-ci/{child.name} written\n.gitlab-ci.yml written\n"
    parent = (split / ".gitlab-ci.yml").read_text(encoding="utf-8")
    assert f"local: .gitlab-ci/{child.name}" in parent
    assert "# Options: --split unit" in parent


def test_check_compares_all_files(split: Path, pipegen: Pipegen) -> None:
    """A child that was changed by hand is noticed, and written anew when that is asked for."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    before = child.read_text(encoding="utf-8")
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 0
    child.write_text(f"{before}# changed\n", encoding="utf-8")

    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 1
    assert pipegen("compile", "-t", "gitlab", "--split", "unit").status == 1
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--force").status == 0
    assert child.read_text(encoding="utf-8") == before


def test_children_that_nothing_starts_any_more_are_told(split: Path, pipegen: Pipegen) -> None:
    """When the parent is written, and when it is compared; they are not deleted."""
    pipegen("compile", "-t", "gitlab", "--split", "unit")
    (child,) = children(split)
    written, checked = pipegen("compile", "-t", "gitlab"), pipegen("compile", "-t", "gitlab", "--check")

    told = f'warning[PG684]: ".gitlab-ci/{child.name}" is part of a pipeline, but no generated file names it'
    assert (written.status, told in written.err, checked.status, told in checked.err) == (0, True, 0, True)
    assert pipegen("compile", "-t", "gitlab", "--check", "--strict").status == 1
    assert child.exists()


@pytest.mark.usefixtures("split")
def test_check_writes_nothing(split: Path, pipegen: Pipegen) -> None:
    """Not even the folder of the children."""
    assert pipegen("compile", "-t", "gitlab", "--split", "unit", "--check").status == 1
    assert not (split / ".gitlab-ci").exists()


def test_children_stand_beside_the_parent(split: Path, pipegen: Pipegen) -> None:
    """Where the parent goes to another folder, its text names the child from the root of the repository."""
    (split / "ci").mkdir()
    pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "ci/main.yml")
    (child,) = children(split / "ci")

    assert f"local: ci/.gitlab-ci/{child.name}" in (split / "ci/main.yml").read_text(encoding="utf-8")


def test_children_are_named_from_the_root_wherever_pipegen_is_called(
    split: Path, monkeypatch: pytest.MonkeyPatch, pipegen: Pipegen
) -> None:
    """The engine counts from the root of the repository, not from where somebody stood."""
    (split / ".git").mkdir()
    (split / "ci").mkdir()
    monkeypatch.chdir(split / "ci")
    pipegen("compile", "../pipegen.yaml", "-t", "gitlab", "--split", "unit")
    (child,) = children(split / "ci")

    assert f"local: ci/.gitlab-ci/{child.name}" in (split / "ci/.gitlab-ci.yml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("split")
def test_standard_output_takes_all_files_with_their_names(pipegen: Pipegen) -> None:
    """As a stream of documents, the parent last."""
    out = pipegen("compile", "-t", "gitlab", "--split", "unit", "-o", "-").out
    heads = [line for line in out.splitlines() if line.startswith("---")]

    assert len(heads) == 2
    assert heads[0].startswith("--- # .gitlab-ci/unit-")
    assert heads[1] == "--- # .gitlab-ci.yml"


@pytest.mark.usefixtures("split")
def test_only_gitlab_is_split(pipegen: Pipegen) -> None:
    """Another target knows no such option."""
    result = pipegen("compile", "-t", "jenkins", "--split", "unit")

    assert result.status == 2
    assert "--split is for the target gitlab" in result.err
