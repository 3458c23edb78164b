"""Cleanup of runs that were killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from pipegen.run.local.watchdog import clean


def test_a_process_that_two_looks_miss_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search misses a process whose program is being loaded, as its environment is empty then."""
    run = f"test-{os.getpid()}"
    grep = tmp_path / "grep"
    grep.write_text(
        f'#!/bin/sh\ncd {tmp_path}\necho >>looks\n[ "$(wc -l <looks)" -le 2 ] || exec {shutil.which("grep")} "$@"\n'
    )
    grep.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    process = subprocess.Popen(("sleep", "60"), env={**os.environ, "PIPEGEN_RUN": run})

    clean(run, "true")

    assert process.wait() == -signal.SIGKILL
