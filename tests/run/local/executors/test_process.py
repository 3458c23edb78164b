"""Process groups that run scripts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pipegen.run.clocks.real import RealClock
from pipegen.run.local.executors.process import Invocation, Process
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.structs import replace


@pytest.fixture
def clock() -> Iterator[RealClock]:
    """Yield a real clock."""
    with closing(RealClock()) as real_clock:
        yield real_clock


def invocation(folder: Path, script: str, *secrets: str) -> Invocation:
    """Return a shell that runs *script* and writes its log in *folder*."""
    return Invocation(
        arguments=("/bin/sh", "-ec", script),
        environment={"PATH": os.environ["PATH"], "GIVEN": "value"},
        folder=str(folder),
        log=str(folder / "log"),
        redactor=Redactor(secrets),
    )


def ended(clock: RealClock, process: Invocation) -> int:
    """Return the exit status of *process*."""
    statuses: list[int] = []
    Process(process, clock, statuses.append)
    while not statuses:
        assert clock.wait()
    return statuses[0]


@pytest.mark.parametrize("secrets", [(), ("s3cret",)])
def test_output_goes_to_the_log(clock: RealClock, tmp_path: Path, secrets: tuple[str, ...]) -> None:
    """It has both streams; the program gets its folder, variables and no input, and pipegen stays in its own folder."""
    before = Path.cwd()
    status = ended(clock, invocation(tmp_path, 'echo "$GIVEN"; pwd >&2; cat; echo s3cret; exit 3', *secrets))
    shown = "[masked]" if secrets else "s3cret"

    assert status == 3
    assert (tmp_path / "log").read_text() == f"value\n{tmp_path}\n{shown}\n"
    assert Path.cwd() == before


def test_output_is_appended_to_an_existing_log(clock: RealClock, tmp_path: Path) -> None:
    """Nothing in it is overwritten."""
    for word in ("one", "two"):
        ended(clock, invocation(tmp_path, f"echo {word}"))

    assert (tmp_path / "log").read_text() == "one\ntwo\n"


def test_a_silent_program_has_no_log(clock: RealClock, tmp_path: Path) -> None:
    """Creating a file would take longer than all other steps."""
    assert ended(clock, invocation(tmp_path, ":")) == 0
    assert not (tmp_path / "log").exists()


def test_a_program_that_closes_its_output_causes_no_call(clock: RealClock, tmp_path: Path) -> None:
    """Only its end does."""
    statuses: list[int] = []
    Process(invocation(tmp_path, "exec >&- 2>&-; sleep 0.2"), clock, statuses.append)

    assert clock.wait()
    assert statuses == [0]


def test_a_long_log_is_complete(clock: RealClock, tmp_path: Path) -> None:
    """It exceeds the buffer of a pipe, and its end is present."""
    ended(clock, invocation(tmp_path, "yes | head -c 5000000; echo end"))
    log = (tmp_path / "log").read_bytes()

    assert (len(log), log[-4:]) == (5_000_004, b"end\n")


@pytest.mark.parametrize("secrets", [(), ("s3cret",)])
def test_a_detached_program_that_keeps_printing_does_not_block(
    clock: RealClock, tmp_path: Path, secrets: tuple[str, ...]
) -> None:
    """A program that left the group loses its output, and SIGPIPE ends it."""
    script = f"setsid yes & until [ -s {tmp_path}/log ]; do sleep 0.01; done; exit 4"
    status = ended(clock, invocation(tmp_path, script, *secrets))

    assert status == 4
    assert (tmp_path / "log").read_bytes()[:2] == b"y\n"


def test_an_unwritable_log_does_not_stop_the_program(clock: RealClock, tmp_path: Path) -> None:
    """The disk may be full."""
    (tmp_path / "log").mkdir()

    assert ended(clock, invocation(tmp_path, "echo one; echo two; exit 5")) == 5


def test_a_signal_is_reported_as_128_plus_its_number(clock: RealClock, tmp_path: Path) -> None:
    """SIGPIPE ends programs as usual, although Python ignores it."""
    assert ended(clock, invocation(tmp_path, "kill -TERM $$")) == 143
    assert ended(clock, invocation(tmp_path, "yes | head -n 1; kill -PIPE $$")) == 141


def test_a_missing_program_is_reported_immediately(clock: RealClock, tmp_path: Path) -> None:
    """The file descriptors are closed."""
    missing = Invocation(
        arguments=("/nowhere/program",), environment={}, folder=str(tmp_path), log=str(tmp_path / "log")
    )
    files = len(list(Path("/proc/self/fd").iterdir()))

    for redactor in (Redactor(()), Redactor(["s3cret"])):
        with pytest.raises(FileNotFoundError):
            Process(
                Invocation(
                    arguments=missing.arguments,
                    environment={},
                    folder=missing.folder,
                    log=missing.log,
                    redactor=redactor,
                ),
                clock,
                print,
            )
    assert len(list(Path("/proc/self/fd").iterdir())) <= files + 1


def test_background_processes_end_with_the_group(clock: RealClock, tmp_path: Path) -> None:
    """A program that the script started and did not wait for is killed."""
    ended(clock, invocation(tmp_path, 'sleep 300 & echo "$!" >pid'))

    assert is_gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize(
    ("script", "kill", "status"),
    [
        ("sleep 300", False, 143),
        ("trap '' TERM; echo on; while :; do sleep 0.1; done", True, 137),
        ("trap 'echo told; exit 5' TERM; echo on; sleep 300 & wait", False, 5),
    ],
)
def test_stopping_terminates_or_kills_the_group(
    clock: RealClock, tmp_path: Path, script: str, status: int, *, kill: bool
) -> None:
    """Termination lets the script clean up."""
    statuses: list[int] = []
    process = Process(invocation(tmp_path, script), clock, statuses.append)
    clock.at(clock.now() + 0.3, lambda: process.stop(kill=kill))
    while not statuses:
        assert clock.wait()
    process.stop(kill=True)

    assert statuses == [status]


def is_gone(process: int) -> bool:
    """Return whether *process* ends within a moment."""
    for _ in range(50):
        if not Path(f"/proc/{process}").exists() or "Z" in Path(f"/proc/{process}/stat").read_text().split()[2]:
            return True
        time.sleep(0.05)
    return False


def test_a_full_disk_truncates_the_log_with_one_warning(clock: RealClock, tmp_path: Path) -> None:
    """The program continues."""
    texts: list[str] = []
    script = "echo one; sleep 0.1; echo two; exit 4"
    process = replace(invocation(tmp_path, script), log="/dev/full", warn=texts.append)

    assert ended(clock, process) == 4
    assert texts == ["/dev/full: No space left on device: the rest of the output is lost"]
