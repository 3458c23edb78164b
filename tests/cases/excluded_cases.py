"""Excluded cases: patterns in the tests, reasons in the documentation."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

from cases.conftest import FOLDER

DOCUMENT = Path(__file__).parents[2] / "docs" / "simulate.md"


def is_left_out(case: str, patterns: tuple[str, ...]) -> bool:
    """Return whether one of *patterns* matches *case*."""
    return any(fnmatchcase(case, pattern) for pattern in patterns)


def listed(heading: str) -> tuple[str, ...]:
    """Return the patterns in the table of the documentation under *heading*."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return tuple(pattern for row in rows for pattern in re.findall(r"`([^`]+)`", row))


def check_listed(heading: str, patterns: tuple[str, ...], files: tuple[str, ...]) -> None:
    """Check that the documentation lists exactly *patterns*, and that each matches a case of *files*."""
    ids = [case["id"] for file in files for case in json.loads((FOLDER / file).read_text(encoding="utf-8"))["cases"]]

    assert listed(heading) == patterns
    assert [pattern for pattern in patterns if not any(fnmatchcase(case_id, pattern) for case_id in ids)] == []
