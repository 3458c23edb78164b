"""Symbolic links of a repository cannot lead paths out of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pipegen.source.enclosure import OutsideError, content, folder_of, opened

TEXT = b"text"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a repository with symbolic links of all kinds, next to a file and a folder outside it."""
    root = tmp_path / "root"
    for name in ("root/.git", "root/a/b", "root/inner/.git", "private", "root-more"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("root/file", "root/a/b/file", "root/inner/file", "root/.git/config", "private/file", "root-more/file"):
        (tmp_path / name).write_bytes(TEXT)
    links = {
        "to_file": "file",
        "to_folder": "a/b",
        "absolute": str(root / "a"),
        "a/up": "../a/b/../../file",
        "out": "../private",
        "out_file": "../private/file",
        "a/b/out": "../../../private",
        "absolute_out": str(tmp_path / "private"),
        "absolute_beside": f"{root}-more",
        "absolute_up": f"{root}/../private",
        "by_folder": "to_folder/out/file",
        "out_and_in": "../root/file",
        "git": ".git",
        "git_config": "a/../.git/config",
        "inner/above": "../file",
        "loop": "loop",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    return root


@pytest.mark.parametrize(
    "name",
    ["file", "to_file", "a/b/file", "to_folder/file", "absolute/b/file", "a/up", "inner/file", "a/../file", "./file"],
)
def test_links_within_the_repository_are_followed(name: str, root: Path) -> None:
    """Any path that stays inside is valid."""
    assert content(root / name, 9) == TEXT


@pytest.mark.parametrize(
    "name",
    [
        *("out/file", "out_file", "a/b/out/file", "absolute_out/file", "absolute_beside/file", "absolute_up/file"),
        *("by_folder", "out_and_in", "inner/above", ".git/config", "git/config", "git_config", ".GIT/config"),
    ],
)
def test_links_out_of_the_repository_are_rejected(name: str, root: Path) -> None:
    """So are links into `.git`, and out of a nested repository."""
    with pytest.raises(OutsideError, match=r"leads (out of the repository|into .*git)"):
        opened(root / name)
    assert content(root / name, 9) is None


@pytest.mark.parametrize(
    "name", ["out/new", "a/b/out/new", "absolute_out/new", ".git/hooks", "git/new", "inner/../git/x"]
)
def test_new_files_outside_the_repository_are_rejected(name: str, root: Path) -> None:
    """A path that does not exist yet is checked like an existing one."""
    with pytest.raises(OutsideError), folder_of(root / name):
        pass


def test_writing_replaces_a_link_instead_of_following_it(root: Path) -> None:
    """Only the folder of the file is resolved."""
    with folder_of(root / "out_file") as (folder, name):
        assert os.readlink(name, dir_fd=folder) == "../private/file"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["loop", "loop/file", "nothing/file", "file/file"])
def test_errors_name_the_requested_path(name: str, root: Path) -> None:
    """The path is not resolved in the message."""
    with pytest.raises(OSError, match=r"\w") as caught:
        opened(root / name)

    assert not isinstance(caught.value, OutsideError)
    assert caught.value.filename == str(root / name)


def test_paths_outside_any_repository_are_unrestricted(tmp_path: Path) -> None:
    """The user's own path may go through links; links found there may not leave the folder."""
    (tmp_path / "real/.pipeline").mkdir(parents=True)
    (tmp_path / "real/file").write_bytes(TEXT)
    (tmp_path / "real/link").symlink_to("../other")
    (tmp_path / "real/.pipeline/up").symlink_to("../file")
    (tmp_path / "other").write_bytes(TEXT)
    (tmp_path / "named").symlink_to("real")

    assert content(tmp_path / "named/file", 9) == TEXT
    assert content(tmp_path / "named/.pipeline/up", 9) == TEXT
    assert content(tmp_path / "named/link", 9) is None


@pytest.mark.parametrize("path", ["/", "/dev/null", "/dev/zero"])
def test_folders_and_devices_have_no_content(path: str) -> None:
    """An endless device is not read."""
    assert content(Path(path), 9) is None


def test_reading_a_named_pipe_does_not_block(root: Path) -> None:
    """It has no content either."""
    os.mkfifo(root / "pipe")

    assert content(root / "pipe", 9) is None


def swapping(change: Callable[[], None], work: Callable[[], None], rounds: int) -> None:
    """Run *work* repeatedly while another thread runs *change*."""
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            change()

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(rounds):
            with suppress(OSError):
                work()
    finally:
        ended.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a/b/new", "a/b/file"])
def test_swapping_a_folder_for_a_link_cannot_escape(name: str, root: Path) -> None:
    """A folder and a link are swapped repeatedly, and no opened file is outside."""
    private = root.parent / "private"
    (private / "b").mkdir()
    (private / "b/file").write_bytes(b"secret")
    (root / "link").symlink_to(private)
    seen: set[bytes | None] = set()

    def change() -> None:
        (root / "a").rename(root / "kept")
        (root / "link").rename(root / "a")
        (root / "a").rename(root / "link")
        (root / "kept").rename(root / "a")

    def work() -> None:
        seen.add(content(root / name, 9))
        with folder_of(root / name) as (folder, _):
            os.close(os.open("new", os.O_CREAT | os.O_WRONLY, dir_fd=folder))

    swapping(change, work, 1000)

    assert b"secret" not in seen
    assert [path.name for path in (private / "b").iterdir()] == ["file"]
