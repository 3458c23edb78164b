"""Mistakes of people who know another CI system, or YAML, or neither: each folder of `newcomers` has one.

The name of a folder begins with the system that its author knows. Read the output aloud: a user who follows a hint
literally makes progress. `pytest --update-golden` writes the output.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from engines.requirement import require

from pipegen.cli.linting import lint
from pipegen.compiler import analyse
from pipegen.config.files.load import load
from pipegen.diagnostics.model import Severity
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped

FOLDERS = sorted(path for path in (Path(__file__).parent / "newcomers").iterdir() if path.is_dir())
KNOWN = ("circleci", "first", "github", "gitlab", "jenkins", "shell", "yaml")


def check(folder: Path) -> Report:
    """Return the output of `pipegen check` for the config in *folder*."""
    report = Report()
    with suppress(Stopped):
        file = load(folder / "pipeline.yml", report, shown="pipeline.yml")
        report.stop_if_errors()
        lint(analyse(file, (), report, {}), report)
    return report


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_answer_names_the_mistake(folder: Path, request: pytest.FixtureRequest) -> None:
    """The comparison is exact; each error has a location and a hint."""
    require(None if Path(shutil.which("sh") or "").resolve().name == "dash" else "sh is not dash")
    diagnostics = check(folder).diagnostics()
    shown, expected = FORMATS["text"](diagnostics, colour=False), folder / "expected.txt"
    if request.config.getoption("--update-golden"):
        expected.write_text(shown, encoding="utf-8")

    assert shown == expected.read_text(encoding="utf-8"), "if this is intended, run pytest with --update-golden"
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR]
    assert errors
    assert all(diagnostic.hint and diagnostic.primary for diagnostic in errors)


def test_there_are_many_and_each_says_whose_it_is() -> None:
    """There are at least sixty, from people who know each of the systems."""
    assert len(FOLDERS) >= 60
    assert {folder.name.partition("-")[0] for folder in FOLDERS} == set(KNOWN)
