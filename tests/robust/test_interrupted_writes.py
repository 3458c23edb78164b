"""A sample of interrupted_writes.py: kills while files are written, and two programs that write the same files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cli.program import environment
from robust.interrupted_writes import faults

PROGRAM = Path(__file__).with_name("interrupted_writes.py")


def test_a_killed_or_concurrent_compile_leaves_complete_files() -> None:
    """Either the old or the new ones, and children are written before their parent."""
    tests = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, PROGRAM, "8", "4"],
        env=environment(PYTHONPATH=f"{tests.parent}:{tests}"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    kills = [int(count) for count in re.findall(r"^killed (\d+) times", done.stdout, re.MULTILINE)]

    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(kills) == 2
    assert min(kills) >= 8
    assert "two at once, 4 times" in done.stdout


def test_partial_files_and_missing_children_are_detected() -> None:
    """This proves that the check can fail."""
    old, new = {"a": b"old"}, {"a": b"new", ".gitlab-ci.yml": b"local: c.yml\n"}

    assert list(faults({"a": b"old"}, old, new)) == []
    assert list(faults({"a": b"ne"}, old, new)) == ["a is a mixture: 2 bytes"]
    assert list(faults(new, old, new)) == [".gitlab-ci.yml names c.yml, which is missing"]
