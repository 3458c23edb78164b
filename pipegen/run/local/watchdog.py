"""Cleanup of runs that were killed."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

from pipegen.run.local.executors import container as containers

# Kills the processes whose environment names the run, if there is a /proc, until three looks in a row find none: a look
# misses a process that starts meanwhile, or whose program is being loaded, as its environment is empty then. It gives
# up after a hundred looks, as a process that waits for a device cannot be killed. Then it removes containers, networks
# and images of the run; $2 is the container program or "".
_CLEAN = r"""
looks=0 quiet=0
while [ "$quiet" -lt 3 ] && [ "$looks" -lt 100 ]; do
  looks=$((looks + 1)) quiet=$((quiet + 1))
  for file in $(grep -lsxzF "PIPEGEN_RUN=$1" /proc/[0-9]*/environ); do
    quiet=0
    process=${file#/proc/}
    kill -KILL "${process%/environ}"
  done
  sleep 0.05
done
[ -n "$2" ] || exit 0
for container in $("$2" ps --all --quiet --filter "name=pipegen-$1-"); do
  "$2" kill "$container"
  "$2" rm --force --volumes "$container"
done
for network in $("$2" network ls --quiet --filter "name=pipegen-$1-"); do "$2" network rm "$network"; done
for image in $("$2" images --format '{{.Repository}}:{{.Tag}}' | grep "^localhost/pipegen-$1-"); do
  "$2" rmi "$image"
done
"""
_WATCH = f'read -r word && [ "$word" = over ] && exit 0\n{_CLEAN}'


class Guard:
    """A process that cleans up if this process is killed, which it detects by the end of a pipe.

    It has its own session, so that signals of the terminal do not reach it.
    """

    def __init__(self, run: str, program: str) -> None:
        read_end, self._write_end = os.pipe()
        self._pid = _spawn(_WATCH, run, program, read_end)
        os.close(read_end)

    def close(self) -> None:
        """End it: the run has cleaned up."""
        # Somebody may have killed it.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._write_end, b"over\n")
        os.close(self._write_end)
        os.waitpid(self._pid, 0)


def kill_rest(run: str) -> None:
    """Kill processes of *run* that left their groups, if there is a /proc."""
    mark = f"PIPEGEN_RUN={run}".encode()
    for process in Path("/proc").glob("[0-9]*"):
        # It may have ended, or belong to another user.
        with contextlib.suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


def clean(run: str, program: str) -> None:
    """Remove what remains of *run*, which has ended; *program* is the container program, "" to search for it."""
    os.waitpid(_spawn(_CLEAN, run, program or containers.program(os.environ) or "", None), 0)


def _spawn(script: str, run: str, program: str, standard_input: int | None) -> int:
    nowhere = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    return os.posix_spawn(
        "/bin/sh",
        ("sh", "-c", script, "pipegen-guard", run, program),
        {name: value for name, value in os.environ.items() if name != "PIPEGEN_RUN"},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, standard_input, 0) if standard_input is not None else nowhere,
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
