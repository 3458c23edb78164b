"""Excluded cases, which the documentation lists with reasons."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from cases.conftest import FOLDER

DOCUMENT = Path(__file__).parents[2] / "docs" / "simulate.md"
KUBERNETES, VOLCANO = "Kubernetes cases that do not apply", "Volcano cases that do not apply"


def skip_excluded(case: str, heading: str) -> None:
    """Skip the test of *case* if the table of the documentation under *heading* excludes it."""
    for pattern, reason in exclusions(heading).items():
        if fnmatchcase(case, pattern):
            pytest.skip(reason)


def exclusions(heading: str) -> dict[str, str]:
    """Return the patterns in the table under *heading*, with their reasons."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"### {heading}\n")[2].partition("\n#")[0]
    rows = (line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `"))
    return {pattern: reason for patterns, reason in rows for pattern in re.findall(r"`([^`]+)`", patterns)}


def check_exclusions(heading: str, files: tuple[str, ...]) -> None:
    """Check that each pattern in the table under *heading* matches a case of *files*, and that most cases remain."""
    ids = [case["id"] for file in files for case in json.loads((FOLDER / file).read_text(encoding="utf-8"))["cases"]]
    excluded = {pattern: [case for case in ids if fnmatchcase(case, pattern)] for pattern in exclusions(heading)}

    assert excluded
    assert all(excluded.values())
    assert sum(map(len, excluded.values())) < len(ids) / 4
