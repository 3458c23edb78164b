"""Failures of pipegen itself are reported as a message with an exit code, never as a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.program import Pipegen


def raising(error: BaseException) -> Callable[..., object]:
    """Return a function that always raises *error*."""

    def fail(*_: object, **__: object) -> object:
        raise error

    return fail


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files."""
    folder = tmp_path / "logs"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("verb", "module"),
    [("check", "commands.check"), ("compile", "session"), ("graph", "session"), ("plan", "session")],
)
def test_a_bug_is_reported_as_a_message(
    verb: str, module: str, logs: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A log file contains the details for a bug report."""
    monkeypatch.setattr(f"pipegen.cli.{module}.analyse", raising(ZeroDivisionError("division by zero")))
    result = pipegen(verb)
    (log,) = logs.iterdir()

    assert (result.status, result.out) == (3, "")
    assert result.err == (
        f"pipegen: this is a bug: ZeroDivisionError: division by zero\n"
        f"Details are in {log}. Include them in a bug report.\n"
    )
    assert re.search(r"^Traceback .*^ZeroDivisionError: division by zero$", log.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.usefixtures("here")
def test_a_bug_is_reported_without_room_for_a_log(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The details are in the message, for example on a full disk."""
    monkeypatch.setattr("pipegen.cli.session.analyse", raising(ZeroDivisionError("division by zero")))
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", raising(OSError(28, "No space left on device")))
    result = pipegen("graph")

    assert (result.status, result.out) == (3, "")
    assert result.err.startswith("pipegen: this is a bug: ZeroDivisionError: division by zero\nInclude these details")
    assert result.err.endswith("\nZeroDivisionError: division by zero\n")


@pytest.mark.usefixtures("here", "logs")
def test_a_bug_of_a_target_is_reported_with_its_name(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be that of another distribution."""
    monkeypatch.setattr("pipegen.targets.gitlab.generate", raising(ValueError("no such job")))
    result = pipegen("compile", "-t", "gitlab")

    assert result.status == 3
    assert result.err.startswith('pipegen: this is a bug: ValueError: no such job, in the target "gitlab"\n')


@pytest.mark.usefixtures("here", "logs")
def test_a_target_does_not_decide_the_exit_status(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that ends the program has failed, except after an interrupt."""
    monkeypatch.setattr("pipegen.targets.gitlab.generate", raising(SystemExit(0)))
    ended = pipegen("compile", "-t", "gitlab")
    monkeypatch.setattr("pipegen.targets.gitlab.generate", raising(KeyboardInterrupt()))

    assert ended.status == 3
    assert 'RuntimeError: SystemExit: 0, in the target "gitlab"\n' in ended.err
    assert pipegen("compile", "-t", "gitlab").status == 130


def test_a_deeply_nested_config_is_not_a_bug(here: Path, logs: Path, pipegen: Pipegen) -> None:
    """It either compiles or is reported as an error in the config."""
    (here / "pipegen.yaml").write_text("[" * 5000 + "]" * 5000, encoding="utf-8")
    result = pipegen("check")

    assert (result.status, list(logs.iterdir())) == (1, [])


def test_an_interrupt_during_the_imports_is_no_traceback() -> None:
    """They take half of the time of a short command."""
    program = """\
import sys, types
sys.modules["pipegen.cli.app"] = app = types.ModuleType("app")
def interrupted(name): raise KeyboardInterrupt
app.__getattr__ = interrupted
from pipegen.__main__ import main
main()
"""
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


@pytest.mark.usefixtures("here")
def test_an_interrupt_has_its_own_exit_code(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """No message is shown; the prompt of the shell starts on a new line."""
    monkeypatch.setattr("pipegen.cli.commands.check.analyse", raising(KeyboardInterrupt()))
    result = pipegen("check")

    assert (result.status, result.out, result.err) == (130, "", "\n")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(5, "Input/output error", "blubber.yaml"), "blubber.yaml: Input/output error"),
        (OSError(28, "No space left on device"), "pipegen.yaml: No space left on device"),
        (OSError("odd"), "odd"),
    ],
)
def test_an_operating_system_error_is_reported_in_one_line(
    error: OSError, message: str, logs: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not a bug, so there are no details to report."""
    monkeypatch.setattr("pipegen.cli.commands.check.analyse", raising(error))
    result = pipegen("check")

    assert (result.status, result.err, list(logs.iterdir())) == (3, f"pipegen: {message}\n", [])
