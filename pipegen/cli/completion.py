"""Completion of commands and options in the shell of the user."""

from __future__ import annotations

import os
from pathlib import Path

from click.shell_completion import get_completion_class

from pipegen.cli.exits import WrongUsage
from pipegen.cli.terminal.streams import say, show_text
from pipegen.cli.verbs import Verbs

# The file that each shell reads when it starts; fish reads all files in the folder.
_START_FILES = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/completions/pipegen.fish"}


def script(program: Verbs) -> str:
    """Return the script for the shell of the user, which calls *program*; raise `WrongUsage` for unknown shells."""
    completion = get_completion_class(_shell())
    if completion is None or _shell() not in _START_FILES:
        raise WrongUsage(f'completion is for {", ".join(_START_FILES)}, not for the shell "{_shell()}" of SHELL')
    return completion(program, {}, "pipegen", "_PIPEGEN_COMPLETE").source()


def show(program: Verbs) -> None:
    """Show the script for the shell of the user."""
    show_text(script(program).strip())


def install(program: Verbs) -> None:
    """Write the script for the shell of the user, and let the shell read it when it starts."""
    text = script(program)
    start_file = Path.home() / _START_FILES[_shell()]
    if _shell() == "fish":
        start_file.parent.mkdir(parents=True, exist_ok=True)
        start_file.write_text(text, encoding="utf-8")
    else:
        path = Path.home() / ".local/share/pipegen" / f"completion.{_shell()}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        line = f'. "{path}"'
        existing = start_file.read_text(encoding="utf-8") if start_file.exists() else ""
        if line not in existing.splitlines():
            with start_file.open("a", encoding="utf-8") as file:
                file.write(f"\n{line}\n")
    say(f"completion for {_shell()} is installed: {start_file}; start a new shell to use it")


def _shell() -> str:
    return Path(os.environ.get("SHELL", "")).name
