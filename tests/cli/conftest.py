"""Fixtures that call the program in a separate folder."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.program import CONFIG, Pipegen, Result

from pipegen.cli.app import run

NOBODY = 65534


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which is empty and outside any repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(empty: Path) -> Path:
    """Return the current folder with a config."""
    (empty / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return empty


@pytest.fixture
def pipegen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pipegen:
    """Return a call of the program in this process."""

    def call(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["pipegen", *map(str, arguments)])
        status = run()
        written = capsys.readouterr()
        return Result(status, written.out, written.err)

    return call


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that every user may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
        (folder / "pipegen.yaml").chmod(0o644)
        yield folder
        folder.chmod(0o755)


@pytest.fixture
def powerless(pipegen: Pipegen, open_folder: Path) -> Pipegen:
    """Return a call of the program as a user without special permissions, even if root runs the tests."""

    @contextmanager
    def nobody() -> Iterator[None]:
        if os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    def call(*arguments: str | Path) -> Result:
        with nobody():
            return pipegen(*arguments)

    # That user may not be able to read modules that the program imports late.
    pipegen("compile", open_folder / "pipegen.yaml", "-t", "gitlab", "-o", "-")
    return call
