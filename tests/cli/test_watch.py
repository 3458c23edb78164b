"""`pipegen compile --watch`: written anew when what is read changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, Pipegen, environment

from pipegen.cli.files.watch import watch

INCLUDING = "include: parts.yaml\n" + CONFIG.replace("- name: lint", "- { name: lint, extends: base }")
PARTS = "templates: { base: { script: [echo one] } }\n"


class Enough(Exception):  # noqa: N818 - no error: the person who interrupts
    """Raised in the place of Ctrl-C."""


def follow(config: Path, steps: Sequence[Callable[[], object]]) -> list[int]:
    """Watch *config*, take one of *steps* at each wait, and return after how many steps there was work to do."""
    taken = 0
    work: list[int] = []

    def wait(_: float) -> None:
        nonlocal taken
        if taken >= 2 * len(steps):
            raise Enough
        # A step, then a wait without one: editors write in steps too.
        if taken % 2 == 0:
            steps[taken // 2]()
        taken += 1

    with pytest.raises(Enough):
        watch(config, lambda: work.append((taken + 1) // 2), wait)
    return work


def test_work_is_done_when_what_is_read_changes(here: Path) -> None:
    """The config, what it includes, and nothing else; a file that comes to be included counts from then on."""
    config, parts = here / "pipegen.yaml", here / "parts.yaml"
    steps = (
        lambda: (here / "README.md").write_text("x", encoding="utf-8"),
        lambda: config.write_text(INCLUDING, encoding="utf-8"),
        lambda: parts.write_text(PARTS, encoding="utf-8"),
        lambda: parts.write_text(PARTS + "# more\n", encoding="utf-8"),
        parts.unlink,
        config.unlink,
        lambda: config.write_text(CONFIG, encoding="utf-8"),
    )

    assert follow(config, steps) == [0, 2, 3, 4, 5, 6, 7]


def test_a_file_with_the_old_size_and_time_is_noticed(here: Path) -> None:
    """Editors put a new file in the place of the old one."""
    config = here / "pipegen.yaml"
    before = config.stat()

    def replace() -> None:
        new = here / "new"
        new.write_text(CONFIG, encoding="utf-8")
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.replace(config)

    assert follow(config, (replace,)) == [0, 1]


def test_a_file_that_never_stops_changing_is_compiled_all_the_same(here: Path) -> None:
    """A program that writes on without end holds up nothing for long."""
    config = here / "pipegen.yaml"
    waits, work = 0, list[int]()

    def write(_: float) -> None:
        nonlocal waits
        waits += 1
        if len(work) == 3 or waits == 1_000:
            raise Enough
        config.write_text(f"{CONFIG}# {waits}\n", encoding="utf-8")

    with pytest.raises(Enough):
        watch(config, lambda: work.append(waits), write)

    assert len(work) == 3


@pytest.fixture
def watching(here: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield the program, watching the config in the current folder."""
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "compile", "-t", "jenkins", "--watch"]
    with subprocess.Popen(
        command, cwd=here, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        if process.poll() is None:
            process.kill()


def told(process: subprocess.Popen[str], words: str) -> str:
    """Return what *process* tells up to the line that holds *words*."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            break
    return "".join(lines)


@pytest.mark.slow
def test_errors_do_not_end_it_and_an_interruption_does(here: Path, watching: subprocess.Popen[str]) -> None:
    """Each time it tells what it did; it ends as whatever is interrupted ends."""
    config, made = here / "pipegen.yaml", here / "Jenkinsfile"
    assert told(watching, "watching") == "Jenkinsfile written\nwatching pipegen.yaml; press Ctrl-C to stop\n"

    time.sleep(0.05)  # the clock of a file system may be coarse
    config.write_text(BROKEN, encoding="utf-8")
    broken = told(watching, "watching")
    config.write_text(CONFIG.replace("lint", "style"), encoding="utf-8")
    mended = told(watching, "watching")
    watching.send_signal(signal.SIGINT)

    assert "pipegen.yaml changed\n" in broken
    assert "error[PG301]" in broken
    assert "Jenkinsfile written\n" in mended
    assert "'style'" in made.read_text(encoding="utf-8")
    assert watching.wait(timeout=10) == 130


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("option", [("--check",), ("-o", "-")])
def test_what_is_watched_is_written(option: tuple[str, ...], pipegen: Pipegen) -> None:
    """A check, or standard output, is no file that could follow the config."""
    result = pipegen("compile", "-t", "jenkins", "--watch", *option)

    assert (result.status, result.err) == (2, "pipegen: --watch writes files: omit --check and --output -\n")
