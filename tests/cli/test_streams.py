"""The program in a separate process: pipes, terminals, encodings, shells and signals."""

from __future__ import annotations

import os
import pty
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, environment, process

PROGRAM = f'{shlex.quote(sys.executable)} -c "from pipegen.__main__ import main; main()"'
ESCAPE = "\x1b["


def shell(script: str, at: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run *script* with the program as `$PIPEGEN`, in the folder *at*."""
    return subprocess.run(
        ["bash", "-c", script.replace("$PIPEGEN", PROGRAM)],
        cwd=at,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def on_terminal(*arguments: str, at: Path, **variables: str) -> str:
    """Return the output of the program on a terminal."""
    primary, secondary = pty.openpty()
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", *arguments]
    child = subprocess.Popen(command, cwd=at, env=environment(**variables), stdout=secondary, stderr=secondary)
    os.close(secondary)
    written = b""
    while True:
        try:
            part = os.read(primary, 65536)
        except OSError:  # Linux reports this when no process has the other end open
            break
        if not part:
            break
        written += part
    os.close(primary)
    child.wait(timeout=60)
    return written.decode()


@pytest.fixture
def broken(here: Path) -> Path:
    """Return a folder whose config has errors."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    return here


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb", ["compile -t jenkins -o -", "schema", "explain PG306", "graph", "plan", "targets", "--help"]
)
def test_a_closed_pipe_is_ignored(verb: str, here: Path) -> None:
    """Commands such as `| head` cause no traceback and no message."""
    result = shell(f"{{ sleep 0.2; $PIPEGEN {verb}; echo $? >status; }} | true", here)

    assert (result.stderr, (here / "status").read_text(encoding="utf-8")) == ("", "141\n")


@pytest.mark.slow
def test_a_closed_pipe_stops_a_run(here: Path) -> None:
    """Stages stop, and containers are removed, as after `kill`."""
    (here / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: a, image: i, script: ls}, {name: b, image: i, script: ls}]}}\n",
        encoding="utf-8",
    )
    (here / "docker").write_text(f'#!/bin/sh\necho "$1 $2" >>{here}/calls\n', encoding="utf-8")
    (here / "docker").chmod(0o755)
    script = "git init --quiet; { sleep 0.2; $PIPEGEN run --isolated; echo $? >status; } | true"
    result = shell(script, here, DOCKER=f"{here}/docker", XDG_STATE_HOME=str(here / "state"))
    calls = (here / "calls").read_text(encoding="utf-8").split("\n")

    assert (result.stderr, (here / "status").read_text(encoding="utf-8")) == ("", "141\n")
    assert "ps --all" in calls


@pytest.mark.slow
def test_a_closed_pipe_on_both_streams_is_ignored(broken: Path) -> None:
    """The exit status is that of a program that SIGPIPE ends."""
    result = shell("{ sleep 0.5; $PIPEGEN compile -t jenkins; echo $? >status; } 2>&1 | true", broken)

    assert (result.stdout, result.stderr) == ("", "")
    assert (broken / "status").read_text(encoding="utf-8") == "141\n"


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["compile -t jenkins -o -", "check --format json", "graph"])
def test_a_full_disk_is_reported_in_one_line(verb: str, here: Path) -> None:
    """Lost output is a failure, even if it is only in a buffer until the end."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    result = shell(f"$PIPEGEN {verb} >/dev/full", here)

    assert (result.returncode, result.stderr) == (3, "pipegen: No space left on device\n")


@pytest.mark.slow
def test_a_closed_standard_output_is_reported(here: Path) -> None:
    """The verb has output to write."""
    result = shell("$PIPEGEN graph >&-", here)

    assert (result.returncode, result.stderr) == (3, "pipegen: standard output is closed\n")


@pytest.mark.slow
def test_an_unused_standard_output_may_be_closed(here: Path) -> None:
    """Services run like this."""
    result = shell("$PIPEGEN compile -t jenkins >&- 2>&-", here)

    assert (result.returncode, (here / "Jenkinsfile").exists()) == (0, True)


@pytest.mark.slow
@pytest.mark.parametrize("verb", [("check",), ("compile", "-t", "gitlab")])
def test_a_pipe_gets_no_colour(verb: tuple[str, ...], broken: Path) -> None:
    """Programs and logs read it."""
    result = process(*verb, at=broken)

    assert result.returncode == 1
    assert "error[PG301]" in result.stdout + result.stderr
    assert ESCAPE not in result.stdout + result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("verb", [("check",), ("compile", "-t", "gitlab")])
def test_a_terminal_gets_colour(verb: tuple[str, ...], broken: Path) -> None:
    """It does not matter which stream the diagnostics go to."""
    assert ESCAPE in on_terminal(*verb, at=broken)


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_disabled(variables: dict[str, str], broken: Path) -> None:
    """The standard variables disable it."""
    written = on_terminal("check", at=broken, **variables)

    assert "error[PG301]" in written
    assert ESCAPE not in written


@pytest.mark.slow
def test_a_generated_file_is_always_utf8(here: Path) -> None:
    """Messages are escaped if the terminal cannot show them."""
    (here / "pipegen.yaml").write_text(CONFIG.replace("lint", "prüfen"), encoding="utf-8")
    compiled = process("compile", "-t", "gitlab", "-o", "-", at=here, variables={"PYTHONIOENCODING": "ascii"})
    (here / "pipegen.yaml").write_text(BROKEN.replace("unti", "prüfen"), encoding="utf-8")
    checked = process("check", at=here, variables={"PYTHONIOENCODING": "ascii"})

    assert "prüfen" in compiled.stdout
    assert (checked.returncode, 'names stage "pr\\xfcfen"' in checked.stdout) == (1, True)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_completion_script(name: str, here: Path) -> None:
    """The script calls the program."""
    result = process(at=here, variables={"_PIPEGEN_COMPLETE": f"{name}_source"})

    assert f"_PIPEGEN_COMPLETE={name}_complete" in result.stdout
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("pipegen c", "compile check"),
        ("pipegen compile -t g", "gitlab"),
        ("pipegen compile --target ", "gitlab jenkins"),
        ("pipegen compile --format c", "concise"),
        ("pipegen compile --style d", "declarative"),
        ("pipegen targets j", "jenkins"),
        ("pipegen explain PG301", "PG301"),
        ("pipegen explain unknown-stage-", "unknown-stage-in-setting"),
    ],
)
def test_verbs_and_values_are_completed(words: str, completed: str, here: Path) -> None:
    """The completion script of the shell calls the program like this."""
    values = {"_PIPEGEN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    result = process(at=here, variables=values)

    assert result.stdout.split() == [f"plain,{value}" for value in completed.split()]


@pytest.mark.slow
def test_an_interrupt_ends_the_program_quietly(here: Path) -> None:
    """The exit code for Ctrl-C is 130, which shells expect; the prompt of the shell starts on a new line."""
    pipe = here / "slow.yaml"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "check", "slow.yaml"]
    child = subprocess.Popen(
        command, cwd=here, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with pipe.open("w", encoding="utf-8"):  # opening succeeds once the program reads; nothing is written
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)

    assert (child.returncode, out, err) == (130, "", "\n")
