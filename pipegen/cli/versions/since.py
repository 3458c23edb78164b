"""Configs narrowed to what has changed since a revision: the option `--changed-since`."""

from __future__ import annotations

from pathlib import Path

from pipegen.cli.exits import WrongUsage
from pipegen.cli.versions.revisions import is_no_commit, known_revision
from pipegen.compiler import Analysed
from pipegen.config.files.load import repository_root
from pipegen.diagnostics.report import Report
from pipegen.plan.changes.narrow import narrow, whole
from pipegen.plan.changes.report import report_whole
from pipegen.structs import replace

_OPTION = "--changed-since"


def narrowed(analysed: Analysed, since: str, report: Report) -> Analysed:
    """Return *analysed* with what has changed *since* a revision alone; end with wrong usage where git knows none."""
    if not since:
        raise WrongUsage(f"{_OPTION} takes a commit, a branch or a tag, and there is no name: is a variable empty?")
    plans = analysed.plans
    if not plans:
        return analysed
    if is_no_commit(since):
        report_whole(plans[0].span, "there is no earlier commit to compare with", report)
        return replace(analysed, plans=whole(plans))
    place = analysed.file.place
    root = repository_root(place) if place is not None else Path()
    files = known_revision(root, since, _OPTION).changed()
    own = next((source for source in analysed.sources if source.from_root in files), None)
    if own is not None:
        report_whole(plans[0].span, f'the config itself has changed since "{since}", in {own.path}', report)
        return replace(analysed, plans=whole(plans))
    return replace(analysed, plans=narrow(plans, files, since, report, chosen=bool(analysed.chosen)))
