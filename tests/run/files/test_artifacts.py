"""Artifacts of a stage."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.run.files.artifacts import link_into, matching, store_files

FILES = ("a.log", "dist/a.log", "dist/.b.log", "dist/deep/c.log", "dist/deep/d.txt", ".git/x.log", ".pipegen/y.log")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with FILES and symbolic links."""
    for name in FILES:
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(name)
    (tmp_path / "tree/dist/link").symlink_to("nowhere")
    (tmp_path / "tree/folder").symlink_to("dist")
    return tmp_path / "tree"


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a.log", ["a.log"]),
        ("./a.log", ["a.log"]),
        ("dist/", ["dist/.b.log", "dist/a.log", "dist/deep/c.log", "dist/deep/d.txt", "dist/link"]),
        ("dist/*.log", ["dist/.b.log", "dist/a.log"]),
        ("**/*.log", ["a.log", "dist/.b.log", "dist/a.log", "dist/deep/c.log"]),
        ("dist/**", ["dist/.b.log", "dist/a.log", "dist/deep/c.log", "dist/deep/d.txt", "dist/link"]),
        ("d*/deep", ["dist/deep/c.log", "dist/deep/d.txt"]),
        ("**/deep/*", ["dist/deep/c.log", "dist/deep/d.txt"]),
        ("folder", ["folder"]),
        ("none", []),
        ("[a].log", []),
        ("?.log", []),
    ],
)
def test_patterns_select_files(tree: Path, path: str, names: list[str]) -> None:
    """`*` and `**` match as on engines; files of git and pipegen are excluded, and a link is a file."""
    assert sorted(matching(str(tree), (path,))) == names


@pytest.mark.parametrize(
    ("excluded", "names"),
    [
        ("dist/deep", ["dist/.b.log", "dist/a.log", "dist/link"]),
        ("dist/*", ["dist/deep/c.log", "dist/deep/d.txt"]),
        ("**/*.log", ["dist/deep/d.txt", "dist/link"]),
    ],
)
def test_excluded_files_are_omitted(tree: Path, excluded: str, names: list[str]) -> None:
    """The name of a folder excludes everything in it, a pattern everything that it matches."""
    assert sorted(matching(str(tree), ("dist/",), (excluded,))) == names


def test_files_are_stored_and_linked_for_download(tree: Path, tmp_path: Path) -> None:
    """Both copies have the same files; links stay links."""
    names = matching(str(tree), ("dist/",))
    link_into(str(tree), names, str(tmp_path / "people"))
    store_files(str(tree), names, str(tmp_path / "store"))

    assert sorted(matching(str(tmp_path / "store"), ("**",))) == sorted(names)
    assert (tmp_path / "people/dist/deep/c.log").read_text() == "dist/deep/c.log"
    assert (tmp_path / "people/dist/link").is_symlink()
    assert matching(str(tree), ("dist/",)) == ()
