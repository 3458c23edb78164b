"""The cleanup of scripts, however they end."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from shell.world import SHELLS, World, calls, host, plan_of, script_of, text_of

REMOVED = [["rm", "--force", "--volumes", "pipegen-7"], ["rmi", "--no-prune", "localhost/pipegen-7"]]


@pytest.mark.parametrize("failing", ["", "build=3", "run=4", "rm=5", "rmi=6"])
def test_container_image_and_folder_are_removed(world: World, failing: str) -> None:
    """At the end and after a failure; a failing removal does not change the status."""
    world.variables["FAKE_FAIL"] = failing
    plan = plan_of([{"name": "t"}])

    result = world.run_job(plan, "t", host())

    expected = {"build=3": 3, "run=4": 4}.get(failing, 0)
    assert result.status == (min(expected, 1) if world.shell == "runner" else expected)
    assert result.calls[-2:] == REMOVED
    assert result.left == []


# The runner ends its jobs itself, and connects the standard input of scripts to a pipe.
_without_runner = pytest.mark.parametrize("world", [shell for shell in SHELLS if shell != "runner"], indirect=True)


@_without_runner
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_script_and_runs_the_cleanup(world: World, sent: signal.Signals) -> None:
    """The script does not wait for the running command."""
    started = time.monotonic()

    assert _status_after_signals(world, {"run": sent}) == 143
    assert time.monotonic() - started < 4
    assert calls(world.folder / "log")[-2:] == REMOVED
    assert not list((world.folder / "tmp").iterdir())


@_without_runner
def test_a_second_signal_does_not_stop_the_cleanup(world: World) -> None:
    """Jenkins first signals the children of the shell, then the shell, which is already cleaning up."""
    assert _status_after_signals(world, {"run": signal.SIGTERM, "rm": signal.SIGTERM}) == 143
    assert calls(world.folder / "log")[-2:] == REMOVED
    assert not list((world.folder / "tmp").iterdir())


def _status_after_signals(world: World, signals: Mapping[str, signal.Signals]) -> int:
    """Return the status of a job that gets each of *signals* when it calls that command of the container program."""
    world.variables["FAKE_SLEEP"] = "5"
    script = world.folder / "script"
    script.write_text(text_of(script_of(plan_of([{"name": "t"}]), "t", host())))
    log = world.folder / "log"
    log.write_bytes(b"")
    with subprocess.Popen(
        [*SHELLS[world.shell], str(script)],
        cwd=world.root,
        env=world.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - tests have one thread
    ) as running:
        for command, sent in signals.items():
            _wait_for_call(command, log)
            running.send_signal(sent)
        return running.wait()


def _wait_for_call(command: str, log: Path) -> None:
    started = time.monotonic()
    while not any(call[0] == command for call in calls(log)) and time.monotonic() - started < 4:
        time.sleep(0.02)


def test_jobs_with_the_same_tools_have_the_same_prelude() -> None:
    """Targets share its text between jobs."""
    plan = plan_of(
        [
            {"name": "a"},
            {"name": "b", "build": "other", "run": {"arguments": ["x"]}},
            {"name": "c", "build": "x"},
            {"name": "d", "exports": {"e": "${setup.project}"}},
        ]
    )

    preludes = [script_of(plan, stage, host()).prelude for stage in "abcd"]

    assert preludes[0] == preludes[1] == preludes[2]
    assert preludes[3] == ()


def test_a_release_is_uninstalled_after_a_failure(world: World) -> None:
    """Even if helm itself is the failing command."""
    world.variables["FAKE_FAIL"] = "install=1"
    deploy = {"image": "i", "tag": "t", "chart": {"name": "c"}}
    plan = plan_of([{"name": "t", "deploy": deploy}])

    result = world.run_job(plan, "t", host())

    assert result.status == 1
    assert result.calls[-1] == ["helm", "uninstall", "pipegen-7", "--namespace", "ci"]


@_without_runner
def test_a_script_does_not_read_standard_input(world: World) -> None:
    """Some runners pass the script itself on standard input."""
    plan = plan_of(
        [
            {"name": "t", "build": "x", "run": {"tail": 3}},
            {"name": "r", "build": "x", "run": {"arguments": ["${t.output}"]}},
        ]
    )
    text = text_of(script_of(plan, "t", host())) + "echo reached\n"

    done = subprocess.run(
        [*SHELLS[world.shell]],
        input=text.encode(),
        cwd=world.root,
        env=world.environment(),
        capture_output=True,
        check=True,
    )

    assert done.stdout == b"reached\n"
