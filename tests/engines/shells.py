"""The shells in which generated scripts must run, and the linter that they must pass."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

PROGRAMS = ("dash", "bash", "busybox", "shellcheck")
# Constructs that shellcheck warns of, and that generated scripts contain on purpose.
EXCLUDED = {
    "SC2016": "a person's `$` in single quotes is meant as it stands: run.arguments of v0 are literal",
    "SC3040": "pipefail is turned off only where the shell has it",
    "SC2154": "engines and stages set variables that a script only reads",
}


class Shell(Enum):
    """A shell, by the words that start it."""

    DASH = ("dash",)
    BASH = ("bash",)
    BUSYBOX = ("busybox", "sh")


def available() -> str | None:
    """Return the reason why scripts cannot be checked and run here, or None."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(missing)} not found: run tests/engines/install" if missing else None


def check(script: str, *, needs_bash: bool = False) -> tuple[str, ...]:
    """Return syntax errors of any shell (only bash if *script* *needs_bash*), and shellcheck's warnings."""
    tested = (Shell.BASH,) if needs_bash else tuple(Shell)
    errors = [f"{shell.name.lower()}: {error}" for shell in tested if (error := _syntax_error(shell, script))]
    return (*errors, *_warnings(script, "bash" if needs_bash else "sh"))


def run(script: str, shell: Shell, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Return the result of *script*, run as `SHELL -e FILE` in *cwd*, with PATH and *env* as its environment."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".sh") as file:
        file.write(script)
        file.flush()
        environment = {"PATH": os.environ["PATH"], **env}
        command = (*shell.value, "-e", file.name)
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)


def _syntax_error(shell: Shell, script: str) -> str:
    """Return the error of *shell* when it only parses *script*, or an empty text."""
    outcome = subprocess.run((*shell.value, "-n"), input=script, capture_output=True, text=True, check=False)
    return outcome.stderr.strip() or (f"status {outcome.returncode}" if outcome.returncode else "")


def _warnings(script: str, shell: str) -> tuple[str, ...]:
    """Return shellcheck's findings in *script*, in the dialect of *shell*."""
    command = ("shellcheck", f"--shell={shell}", "--norc", f"--exclude={','.join(EXCLUDED)}", "--format=json", "-")
    outcome = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    data = json.loads(outcome.stdout)
    return tuple(f"{item['line']}:{item['column']}: SC{item['code']}: {item['message']}" for item in data)
