"""Facts about a local checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pipegen.run.local.checkout import LocalCheckout


@pytest.mark.parametrize(
    ("address", "remote", "project"),
    [
        ("https://git.example.org/group/project.git", "https://git.example.org/group/project.git", "group/project"),
        ("https://me:secret@git.example.org/a/b", "https://git.example.org/a/b", "a/b"),
        ("git@git.example.org:group/sub/project.git", "git@git.example.org:group/sub/project.git", "group/sub/project"),
        ("https://gerrit.example.org/r/x/y", "https://gerrit.example.org/r/x/y", "x/y"),
        ("file:///srv/git/b.git", "file:///srv/git/b.git", "srv/git/b"),
    ],
)
def test_a_project_is_named_after_its_remote_url(tmp_path: Path, address: str, remote: str, project: str) -> None:
    """As in Jenkins; a login in the URL is removed."""
    subprocess.run(("git", "init", "--quiet", str(tmp_path)), check=True)
    subprocess.run(("git", "-C", str(tmp_path), "remote", "add", "origin", address), check=True)
    checkout = LocalCheckout(tmp_path)

    assert (checkout.remote, checkout.project) == (remote, project)


def test_a_folder_without_a_repository_has_only_a_name(tmp_path: Path) -> None:
    """Commit, branch, tag and remote are empty."""
    checkout = LocalCheckout(tmp_path)

    assert (checkout.commit, checkout.branch, checkout.tag, checkout.remote) == ("", "", "", "")
    assert (checkout.project, checkout.changed("main")) == (tmp_path.name, None)
