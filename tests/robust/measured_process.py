"""A call of the program in a separate process: its exit status, time and memory."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.program import environment
from robust.hostile_inputs import Input

# The same as `main`, except for the end. Memory is that of the program alone: the value of wait4(2) includes the memory
# of the caller when it started the program.
_CODE = """\
import gc, sys
from pipegen.cli.app import run
gc.disable()
try:
    status = run()
finally:
    open("memory", "w").write(open("/proc/self/status").read())
sys.exit(status)
"""
PROGRAM = (sys.executable, "-c", _CODE)
# The message for a failure of the program; a failure of the environment is not a bug.
BUG = "this is a bug"
# Generous, as machines differ: no input takes more than 4 s on a slow machine, and work that grows faster than its
# input takes minutes.
SECONDS, MEGABYTES = 10.0, 300.0
# A process without a result after this number of seconds is killed, and has failed.
_HANGS = 30


@dataclass(frozen=True, slots=True)
class Measured:
    """An exit status, the output, the CPU seconds, and the peak memory in MB."""

    status: int
    output: str
    seconds: float
    megabytes: float

    def faults(self, item: Input) -> list[str]:
        """Return the differences from the expected result of *item*."""
        faults = [f"does not report {code}" for code in item.codes if code not in self.output]
        if self.status not in item.expected:
            faults.append(f"ends with {self.status}, not {' or '.join(map(str, item.expected))}")
        if BUG in self.output:
            faults.append("fails")
        if self.seconds > SECONDS:
            faults.append(f"takes {self.seconds:.1f} s")
        if self.megabytes > MEGABYTES:
            faults.append(f"takes {self.megabytes:.0f} MB")
        return faults


def measured(item: Input, folder: Path) -> Measured:
    """Return the program's result for *item*, written into *folder*."""
    item.write(folder)
    return called(item.arguments, folder)


def called(arguments: Sequence[str], folder: Path) -> Measured:
    """Return the program's result of a call with *arguments* in *folder*."""
    path = folder / "output"
    with path.open("wb") as stream:
        process = subprocess.Popen(
            [*PROGRAM, *arguments],
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
        end = time.monotonic() + _HANGS
        while True:
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                process.kill()
            time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    memory = folder / "memory"
    match = re.search(r"VmHWM:\s*(\d+) kB", memory.read_text(encoding="ascii")) if memory.exists() else None
    megabytes = int(match[1]) * 1024 / 1e6 if match else 0.0
    return Measured(process.returncode, path.read_text(errors="replace"), used.ru_utime + used.ru_stime, megabytes)
