"""Tests of the marks before the commands of a script."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from shell.world import SHELLS, require_shell

from pipegen.shell.marks import MARK_FUNCTION, VARIABLE, marked_lines, unmarked


@pytest.mark.parametrize(
    ("entries", "mark", "status", "output"),
    [
        pytest.param(["true", "exit 3"], "1.0", 3, "", id="exit"),
        pytest.param(["! true", '[ "$?" = 1 ] && echo kept', "false"], "2.0", 1, "kept\n", id="the status before"),
        pytest.param(["true", "! true"], "1.0", 1, "", id="the status of the last command"),
        pytest.param(["set -eCux", "exit 4"], "1.0", 4, "", id="options of the shell"),
        pytest.param(["true &&", "false"], "0.0", 1, "", id="a list over two entries"),
        pytest.param(["case x in", "x) exit 5;;", "esac"], "0.0", 5, "", id="a case over entries"),
        pytest.param(["f()", "{ false; }", "f"], "2.0", 1, "", id="a function over entries"),
        pytest.param(["echo a\ncat <<E\nfalse\nE\nfalse\necho b"], "0.4", 1, "a\nfalse\n", id="lines of a block"),
        pytest.param(["echo 'a\n b'\nif :; then\n  false\nfi"], "0.2", 1, "a\n b\n", id="a compound command"),
        pytest.param(["true |\n\n # no\n false"], "0.0", 1, "", id="a pipeline over lines"),
        pytest.param(["kill -9 $$"], "0.0", -9, "", id="a signal"),
    ],
)
@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
def test_the_last_mark_is_that_of_the_command_that_failed(
    entries: list[str], mark: str, status: int, output: str, shell: str, tmp_path: Path
) -> None:
    """The status and the output of the script do not change."""
    require_shell(shell)
    mark_file = tmp_path / "mark"
    script = "\n".join((*MARK_FUNCTION, *marked_lines(entries)))
    ended = subprocess.run(
        (*SHELLS[shell], "-c", script), env={VARIABLE: str(mark_file)}, capture_output=True, text=True, check=False
    )

    assert (ended.returncode, ended.stdout, mark_file.read_text()) == (status, output, mark)
    assert "pipegen_mark" not in ended.stderr


def test_people_see_the_script_without_marks() -> None:
    """A block in a separate shell is indented."""
    marked = "\n".join((*MARK_FUNCTION, "(", *(f"  {line}" for line in marked_lines(["true"])[0].split("\n")), ")", ""))

    assert unmarked(marked) == "(\n  true\n)\n"
