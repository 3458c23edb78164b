"""Completion in the shell of the user."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import Pipegen


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home directory of the user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("shell", "start_file"), [("bash", ".bashrc"), ("zsh", ".zshrc")])
def test_a_shell_reads_the_installed_script_once(
    shell: str, start_file: str, home: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second installation changes nothing, and other lines stay."""
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    (home / start_file).write_text("alias l=ls\n", encoding="utf-8")
    results = [pipegen("--install-completion") for _ in range(2)]
    script = home / ".local/share/pipegen" / f"completion.{shell}"

    assert [result.status for result in results] == [0, 0]
    assert (home / start_file).read_text(encoding="utf-8") == f'alias l=ls\n\n. "{script}"\n'
    assert f"_PIPEGEN_COMPLETE={shell}_complete" in script.read_text(encoding="utf-8")


def test_fish_reads_the_script_itself(home: Path, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the folder of completions."""
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    installed = pipegen("--install-completion").status
    script = (home / ".config/fish/completions/pipegen.fish").read_text(encoding="utf-8")

    assert (installed, "_PIPEGEN_COMPLETE=fish_complete" in script) == (0, True)


def test_the_script_is_shown(pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """Users can put it elsewhere."""
    monkeypatch.setenv("SHELL", "/bin/zsh")
    result = pipegen("--show-completion")

    assert (result.status, "#compdef pipegen" in result.out) == (0, True)


@pytest.mark.parametrize("shell", ["", "/bin/tcsh"])
def test_other_shells_are_wrong_usage(shell: str, pipegen: Pipegen, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the shells."""
    monkeypatch.setenv("SHELL", shell)
    result = pipegen("--install-completion")

    assert (result.status, "completion is for bash, zsh" in result.err) == (2, True)
