"""What a user sees when pipegen itself fails: words and a status, never a traceback."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.program import Pipegen


def raising(error: BaseException) -> Callable[..., object]:
    """Return what fails with *error*, whatever it is called with."""

    def fail(*_: object) -> object:
        raise error

    return fail


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files."""
    folder = tmp_path / "logs"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("verb", "module"),
    [("check", "commands.check"), ("compile", "session"), ("graph", "session"), ("plan", "session")],
)
def test_a_bug_is_told_in_words(
    verb: str, module: str, logs: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a file that holds what a report of it needs."""
    monkeypatch.setattr(f"pipegen.cli.{module}.analyse", raising(ZeroDivisionError("division by zero")))
    result = pipegen(verb)
    (log,) = logs.iterdir()

    assert (result.status, result.out) == (3, "")
    assert result.err == (
        f"pipegen: this is a bug: ZeroDivisionError: division by zero\n"
        f"Details are in {log}. Include them in a bug report.\n"
    )
    assert re.search(r"^Traceback .*^ZeroDivisionError: division by zero$", log.read_text(), re.DOTALL | re.MULTILINE)


def test_a_config_that_nests_too_deep_is_no_bug(here: Path, logs: Path, pipegen: Pipegen) -> None:
    """It is told as what it is, or compiles; a deep stack is not the user's matter."""
    (here / "pipegen.yaml").write_text("[" * 5000 + "]" * 5000, encoding="utf-8")
    result = pipegen("check")

    assert (result.status, list(logs.iterdir())) == (1, [])


@pytest.mark.usefixtures("here")
def test_an_interrupt_ends_with_its_status(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without words: the user knows."""
    monkeypatch.setattr("pipegen.cli.commands.check.analyse", raising(KeyboardInterrupt()))
    result = pipegen("check")

    assert (result.status, result.out, result.err) == (130, "", "")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(5, "Input/output error", "blubber.yaml"), "blubber.yaml: Input/output error"),
        (OSError(28, "No space left on device"), "pipegen.yaml: No space left on device"),
        (OSError("odd"), "odd"),
    ],
)
def test_a_world_that_fails_is_told_in_one_line(
    error: OSError, told: str, logs: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no bug, so there is nothing to report."""
    monkeypatch.setattr("pipegen.cli.commands.check.analyse", raising(error))
    result = pipegen("check")

    assert (result.status, result.err, list(logs.iterdir())) == (3, f"pipegen: {told}\n", [])
