"""Sample pipelines to import, and their imports."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from pipegen.config.files.load import load
from pipegen.diagnostics.render import FORMATS
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab, with_needs
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.stages.after_failures import Misordered

CASES = sorted(path for path in (Path(__file__).parent / "cases").iterdir() if path.is_dir())


@cache
def imported(
    folder: Path,
    name: str = ".gitlab-ci.yml",
    misordered: frozenset[str] = frozenset(),
    staged: int = 0,
) -> tuple[GitLabImport | None, Report]:
    """Return the import of the pipeline in *folder*, or None if it cannot be read, and the report.

    Jobs that are *misordered* keep their needs, or the order of stages if at most *staged* jobs are in other stages.
    """
    report = Report()
    with suppress(Stopped):
        file = load(folder / name, report, shown=name)
        report.stop_if_errors()
        result = import_gitlab(file, Roots(folder), "main", report)
        if misordered:
            report = Report()
            return with_needs(result, Misordered(misordered, dict.fromkeys(misordered, staged + 1)), report), report
        return result, report
    return None, report


def from_text(
    text: str, folder: Path, misordered: frozenset[str] = frozenset(), staged: int = 0
) -> tuple[GitLabImport, Report]:
    """Return the import of the pipeline *text*, written to *folder*, as `imported` does."""
    (folder / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result, report = imported(folder, misordered=misordered, staged=staged)
    assert result is not None, messages(report)
    return result, report


def messages(report: Report) -> str:
    """Return the diagnostics of *report*, one on each line."""
    return FORMATS["concise"](report.diagnostics(), colour=False)


def differences(result: GitLabImport) -> list[str]:
    """Return the messages about the runs in which the imported pipeline and its config differ."""
    proof = prove(result)
    assert proof is not None
    return [difference.message for difference in proof.differences]
