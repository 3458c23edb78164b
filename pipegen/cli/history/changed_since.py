"""Plans narrowed to the stages that changes since a revision affect."""

from __future__ import annotations

from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.history.revisions import is_no_commit, known_revision
from pipegen.compiler import Analysed
from pipegen.config.files.load import repository_root
from pipegen.diagnostics.report import Report
from pipegen.plan.changes.narrow import narrow, unfiltered_plans
from pipegen.plan.changes.report import report_whole
from pipegen.structs import replace

_OPTION = "--changed-since"


def narrowed(analysed: Analysed, since: str, report: Report) -> Analysed:
    """Return *analysed* narrowed to changes *since* a revision; raise `WrongUsage` if it is unknown."""
    if not since:
        raise WrongUsage(f"{_OPTION} takes a commit, a branch or a tag, but its value is empty")
    plans = analysed.plans
    if not plans:
        return analysed
    if is_no_commit(since):
        report_whole(plans[0].span, "there is no earlier commit to compare with", report)
        return replace(analysed, plans=unfiltered_plans(plans))
    path = analysed.file.absolute_path
    root = repository_root(path) if path is not None else Path()
    files = known_revision(root, since, _OPTION).changed()
    changed_source = next((source for source in analysed.sources if source.from_root in files), None)
    if changed_source is not None:
        report_whole(plans[0].span, f'the config itself has changed since "{since}", in {changed_source.path}', report)
        return replace(analysed, plans=unfiltered_plans(plans))
    return replace(analysed, plans=narrow(plans, files, since, report, has_selection=bool(analysed.selected)))
