"""Mistakes of people who know another CI system, or YAML, or none: each folder of `newcomers` has one, with the answer.

The name of a folder begins with what its author knows. Read the answers aloud: done literally, a hint leads on.
`pytest --update-golden` writes the answers.
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
    """Return what `pipegen check` reports of the config in *folder*."""
    report = Report()
    with suppress(Stopped):
        file = load(folder / "pipeline.yml", report, shown="pipeline.yml")
        report.stop_if_errors()
        lint(analyse(file, (), report, {}), report)
    return report


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_answer_names_the_mistake(folder: Path, request: pytest.FixtureRequest) -> None:
    """Word for word; each error has a place and a hint."""
    require(None if Path(shutil.which("sh") or "").resolve().name == "dash" else "sh is not dash")
    diagnostics = check(folder).diagnostics()
    shown, expected = FORMATS["text"](diagnostics, colour=False), folder / "expected.txt"
    if request.config.getoption("--update-golden"):
        expected.write_text(shown, encoding="utf-8")

    assert shown == expected.read_text(encoding="utf-8"), "if this is intended, run pytest with --update-golden"
    errors = [one for one in diagnostics if one.severity is Severity.ERROR]
    assert errors
    assert all(one.hint and one.primary for one in errors)


def test_there_are_many_and_each_says_whose_it_is() -> None:
    """Sixty at least, from people who know each of the systems."""
    assert len(FOLDERS) >= 60
    assert {folder.name.partition("-")[0] for folder in FOLDERS} == set(KNOWN)
