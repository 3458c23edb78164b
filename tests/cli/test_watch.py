"""`pipegen compile --watch` compiles again when a file that it reads changes."""

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
    """The exception in place of Ctrl-C."""


def follow(config: Path, steps: Sequence[Callable[[], object]]) -> list[int]:
    """Watch *config*, run one of *steps* at every second wait, and return the steps after which it compiled."""
    taken = 0
    work: list[int] = []

    def wait(_: float) -> None:
        nonlocal taken
        if taken >= 2 * len(steps):
            raise Enough
        # A step, then a wait without one, as editors write files in several steps.
        if taken % 2 == 0:
            steps[taken // 2]()
        taken += 1

    with pytest.raises(Enough):
        watch(config, lambda: work.append((taken + 1) // 2), wait)
    return work


def test_a_change_of_a_read_file_starts_a_compilation(here: Path) -> None:
    """Only the config and its included files count, from the moment they are included."""
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


def test_a_replaced_file_with_equal_size_and_time_is_detected(here: Path) -> None:
    """Editors may replace a file instead of writing to it."""
    config = here / "pipegen.yaml"
    before = config.stat()

    def replace() -> None:
        new = here / "new"
        new.write_text(CONFIG, encoding="utf-8")
        os.utime(new, ns=(before.st_atime_ns, before.st_mtime_ns))
        new.replace(config)

    assert follow(config, (replace,)) == [0, 1]


def test_a_constantly_changing_file_is_still_compiled(here: Path) -> None:
    """The wait for a stable file is limited."""
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
    """Yield the program, which watches the config in the current folder."""
    command = [sys.executable, "-c", "from pipegen.__main__ import main; main()", "compile", "-t", "jenkins", "--watch"]
    with subprocess.Popen(
        command, cwd=here, env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        if process.poll() is None:
            process.kill()


def output_until(process: subprocess.Popen[str], words: str) -> str:
    """Return the output of *process* up to the line that contains *words*."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if words in line:
            break
    return "".join(lines)


@pytest.mark.slow
def test_watch_continues_after_errors_and_ends_on_an_interrupt(here: Path, watching: subprocess.Popen[str]) -> None:
    """Each change is reported; the exit code is 130."""
    config, path = here / "pipegen.yaml", here / "Jenkinsfile"
    assert output_until(watching, "watching") == "Jenkinsfile written\nwatching pipegen.yaml; press Ctrl-C to stop\n"

    time.sleep(0.05)  # the clock of a file system may be coarse
    config.write_text(BROKEN, encoding="utf-8")
    broken = output_until(watching, "watching")
    config.write_text(CONFIG.replace("lint", "style"), encoding="utf-8")
    corrected = output_until(watching, "watching")
    watching.send_signal(signal.SIGINT)

    assert "pipegen.yaml changed\n" in broken
    assert "error[PG301]" in broken
    assert "Jenkinsfile written\n" in corrected
    assert "'style'" in path.read_text(encoding="utf-8")
    assert watching.wait(timeout=10) == 130


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("option", [("--check",), ("-o", "-")])
def test_watch_without_an_output_file_is_wrong_usage(option: tuple[str, ...], pipegen: Pipegen) -> None:
    """A check and standard output are not files that could be kept current."""
    result = pipegen("compile", "-t", "jenkins", "--watch", *option)

    assert (result.status, result.err) == (2, "pipegen: --watch writes files: omit --check and --output -\n")
