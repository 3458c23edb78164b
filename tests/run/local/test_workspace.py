"""Files that isolated stages leave."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipegen.run.files import artifacts
from pipegen.run.files.run_folder import RunFolder
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.workspace import forget_secrets

REDACTORS = Redactor(["s3cret-value"])


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Return the folder of a run in which two stages left a file, one of them with a secret."""
    run = RunFolder(tmp_path, "1", tmp_path / "logs")
    for stage, text in (("plain", "nothing"), ("open", "it is s3cret-value")):
        (run.left / stage / "dist").mkdir(parents=True)
        (run.left / stage / "dist/file").write_text(text, encoding="utf-8")
    return run


def test_files_with_secrets_are_removed(folder: RunFolder) -> None:
    """All other files remain; a link to a file of another stage is not followed."""
    (folder.left / "plain/link").symlink_to(folder.left / "open/dist/file")

    forget_secrets(folder, REDACTORS)

    assert [path.name for path in folder.left.iterdir()] == ["plain"]


@pytest.mark.parametrize(("owner", "name"), [(Redactor, "hides_in"), (artifacts, "all_files")])
def test_unreadable_files_are_removed(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """They may contain a secret, and the run completes."""

    def refused(*arguments: object) -> bool:
        raise PermissionError(13, "Permission denied", str(arguments[-1]))

    monkeypatch.setattr(owner, name, refused)
    forget_secrets(folder, REDACTORS)

    assert list(folder.left.iterdir()) == []
