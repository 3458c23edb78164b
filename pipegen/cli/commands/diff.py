"""`pipegen diff`: what changed in meaning between two versions of a config."""

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pipegen.cli.exits import Exit
from pipegen.cli.session import Format, end, show
from pipegen.cli.streams import show_data, show_text
from pipegen.cli.timing.durations import load_durations
from pipegen.cli.versions import Wanted, analysed, wanted
from pipegen.compiler import Analysed
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.difference.compare import compare
from pipegen.difference.model import ConfigDifference
from pipegen.difference.render import json, markdown, text
from pipegen.difference.version import Version


class DiffFormat(StrEnum):
    """How a difference is shown."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


_RENDERERS: Mapping[DiffFormat, Callable[[ConfigDifference], str]] = {
    DiffFormat.TEXT: text.render,
    DiffFormat.MARKDOWN: markdown.render,
    DiffFormat.JSON: json.render,
}


def diff(
    old: Annotated[
        str | None,
        typer.Argument(metavar="OLD", show_default=False, help="A file, a revision, or REV:PATH. Default: HEAD."),
    ] = None,
    new: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW",
            show_default=False,
            help="A file, a revision, or REV:PATH. Default: the config in the working tree.",
        ),
    ] = None,
    durations: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default=False, help="The duration of each stage, to compute the longest path."
        ),
    ] = None,
    form: Annotated[DiffFormat, typer.Option("--format", help="The format of the differences.")] = DiffFormat.TEXT,
) -> None:
    """Show changes in meaning between two versions of a config.

    It compares stages, order, values, conditions and the longest path, and ignores comments, layout, and templates with
    the same result. The exit status is 1 if there are changes.
    """
    names = wanted(old, new)
    found = [_read(one) for one in names]
    if durations is None:
        versions = [_version(one, read) for one, read in zip(names, found, strict=True)]
    else:
        times = _times(durations, found)
        versions = [_version(one, read, time) for one, read, time in zip(names, found, times, strict=True)]
    difference = compare(versions[0], versions[1])
    written = show_data if form is DiffFormat.JSON else show_text
    written(_RENDERERS[form](difference), ends_line=False)
    end(Exit.PROBLEMS if difference.has_changes else Exit.FINE)


def _read(one: Wanted) -> Analysed:
    """Return what the version says; end with what is wrong with it."""
    report = Report()
    found = analysed(one, report)
    if found is None:
        show([each for each in report.diagnostics() if each.severity is Severity.ERROR], Format.TEXT, sys.stderr)
        raise typer.Exit(Exit.PROBLEMS)
    return found


def _version(one: Wanted, found: Analysed, times: Mapping[str, Mapping[str, float]] | None = None) -> Version:
    return Version(name=one.name, plans=found.plans, settings=found.settings, times=times)


def _times(path: Path, found: list[Analysed]) -> list[Mapping[str, Mapping[str, float]]]:
    """Return the seconds of the stages of each version, as the file at *path* says; what is wrong with it is shown."""
    reports = [Report() for _ in found]
    times: list[Mapping[str, Mapping[str, float]]] = []
    for one, report in zip(found, reports, strict=True):
        plans = {plan.name: plan for plan in one.plans}
        try:
            known = load_durations(path, plans, report)
            report.stop_if_errors()
        except Stopped:
            show(report.diagnostics(), Format.TEXT, sys.stderr)
            raise typer.Exit(Exit.PROBLEMS) from None
        times.append(
            {name: {task.stage: seconds for task, seconds in known.items() if task.pipeline == name} for name in plans}
        )
    show(_common(*reports), Format.TEXT, sys.stderr)
    return times


def _common(old: Report, new: Report) -> list[Diagnostic]:
    """Return what is told of times for the new version; a stage that the old one alone has may have one."""
    before = {one.message for one in old.diagnostics()}
    return [one for one in new.diagnostics() if one.code is not codes.UNKNOWN_DURATION or one.message in before]
