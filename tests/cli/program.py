"""Calls of the program as a user makes them, and configs for them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# Two parallel stages and a common successor; no diagnostics for either target.
CONFIG = """\
pipelines:
  service:
    stages:
      - name: lint
      - name: unit
      - name: candidate
        build: production
    execution:
      - [lint, candidate]
      - [unit, candidate]
"""

SEVERAL = """\
pipelines:
  checks:
    stages: [{ name: lint }, { name: unit }]
  nightly:
    stages: [{ name: soak }]
"""

# A graph in the shape of an N: both later stages wait for unit, only package waits for lint.
SKEWED = """\
pipelines:
  service:
    stages: [{ name: lint }, { name: unit }, { name: package }, { name: report }]
    execution:
      - [lint, package]
      - [unit, package]
      - [unit, report]
"""

# A warning on GitLab, which has no mail step; no diagnostics on Jenkins.
WARNED = """\
pipelines:
  service:
    notify: { email: { to: [team@example.org] } }
    stages: [{ name: lint }]
"""

BROKEN = """\
pipelines:
  service:
    stages: [{ name: lint }, { name: unit }]
    execution:
      - [lint, unti]
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The exit code and the output of a call."""

    status: int
    out: str
    err: str


class Pipegen(Protocol):
    """The program in this process."""

    def __call__(self, *arguments: str | Path) -> Result:
        """Call it with *arguments*."""


def process(
    *arguments: str | Path, at: Path, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Call the program in a separate process, in the folder *at*."""
    return subprocess.run(
        [sys.executable, "-c", "from pipegen.__main__ import main; main()", *map(str, arguments)],
        cwd=at,
        env=environment(**(variables or {})),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )


def environment(**variables: str) -> dict[str, str]:
    """Return variables for a process that imports this checkout and does not see the caller's terminal."""
    values = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "TERM"}}
    return {**values, "PYTHONPATH": str(Path(__file__).parents[2]), "TERM": "xterm", **variables}


def until(holds: Callable[[], bool]) -> None:
    """Wait until *holds* returns true; fail after 60 seconds. It is polled: other processes send no signal."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def names(folder: Path) -> set[str]:
    """Return the names of all files in *folder* except the config."""
    return {path.name for path in folder.iterdir()} - {"pipegen.yaml"}
