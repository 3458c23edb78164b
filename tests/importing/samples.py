"""Sample pipelines to import, and their imports."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from pipegen.config.files.load import load
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab, with_needs
from pipegen.importing.gitlab.reading.locations import Roots

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())


@cache
def imported(
    folder: Path, name: str = ".gitlab-ci.yml", misordered: frozenset[str] = frozenset()
) -> tuple[GitLabImport | None, Report]:
    """Return the import of the pipeline in *folder*, or None if it cannot be read, and the report.

    Jobs that are *misordered* keep their needs.
    """
    report = Report()
    with suppress(Stopped):
        file = load(folder / name, report, shown=name)
        report.stop_if_errors()
        result = import_gitlab(file, Roots(folder), "main", report)
        if misordered:
            report = Report()
            result = with_needs(result, misordered, report)
        return result, report
    return None, report


def from_text(text: str, folder: Path, misordered: frozenset[str] = frozenset()) -> tuple[GitLabImport, Report]:
    """Return the import of the pipeline *text*, written to *folder*; jobs that are *misordered* keep their needs."""
    (folder / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result, report = imported(folder, misordered=misordered)
    assert result is not None, messages(report)
    return result, report


def messages(report: Report) -> str:
    """Return the diagnostics of *report*, one on each line."""
    return FORMATS["concise"](report.diagnostics(), colour=False)
