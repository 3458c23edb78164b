"""`pipegen diff`: shows changes in meaning between two versions of a config."""

import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path

import click

from pipegen.cli.exits import Exit
from pipegen.cli.parameters import EXISTING_FILE, EnumChoice
from pipegen.cli.session import Format, end, show
from pipegen.cli.terminal.colours import DIFFERENCES
from pipegen.cli.terminal.streams import show_data, show_text
from pipegen.cli.timing.durations import load_durations
from pipegen.cli.versions import ConfigVersion, analysed, versions
from pipegen.compiler import Analysed
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.diagnostics.report import Report, Stopped
from pipegen.difference.compare import compare
from pipegen.difference.model import ConfigDifference
from pipegen.difference.render import json, markdown, text
from pipegen.difference.version import Version


class DiffFormat(StrEnum):
    """The format of differences."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


_RENDERERS: Mapping[DiffFormat, Callable[[ConfigDifference], str]] = {
    DiffFormat.TEXT: text.render,
    DiffFormat.MARKDOWN: markdown.render,
    DiffFormat.JSON: json.render,
}


@click.command("diff")
@click.argument("old", required=False, help="A file, a revision, or REV:PATH. Default: HEAD.")
@click.argument(
    "new",
    required=False,
    help="A file, a revision, or REV:PATH. Default: the config in the working tree.",
)
@click.option(
    "--durations", type=EXISTING_FILE, metavar="FILE", help="The duration of each stage, to compute the longest path."
)
@click.option(
    "--format",
    "form",
    type=EnumChoice(DiffFormat),
    default=DiffFormat.TEXT.value,
    help="The format of the differences.",
)
def diff(old: str | None, new: str | None, durations: Path | None, form: DiffFormat) -> None:
    """Show changes in meaning between two versions of a config.

    It compares stages, order, values, conditions and the longest path, and ignores comments, layout, and templates with
    the same result. The exit status is 1 if there are changes.
    """
    config_versions = versions(old, new)
    analyses = [_read(version) for version in config_versions]
    if durations is None:
        compared = [_version(version, analysis) for version, analysis in zip(config_versions, analyses, strict=True)]
    else:
        times = _times(durations, analyses)
        compared = [
            _version(version, analysis, seconds)
            for version, analysis, seconds in zip(config_versions, analyses, times, strict=True)
        ]
    difference = compare(compared[0], compared[1])
    text = _RENDERERS[form](difference)
    if form is DiffFormat.JSON:
        show_data(text, ends_line=False)
    else:
        show_text(text, ends_line=False, colours=DIFFERENCES if form is DiffFormat.TEXT else None)
    end(Exit.PROBLEMS if difference.has_changes else Exit.FINE)


def _read(version: ConfigVersion) -> Analysed:
    """Return the analysis of *version*; show its errors and exit if there are any."""
    report = Report()
    analysis = analysed(version, report)
    if analysis is None:
        show(
            [diagnostic for diagnostic in report.diagnostics() if diagnostic.severity is Severity.ERROR],
            Format.TEXT,
            sys.stderr,
        )
        raise click.exceptions.Exit(Exit.PROBLEMS)
    return analysis


def _version(
    version: ConfigVersion, analysis: Analysed, times: Mapping[str, Mapping[str, float]] | None = None
) -> Version:
    return Version(name=version.name, plans=analysis.plans, settings=analysis.settings, times=times)


def _times(path: Path, analyses: list[Analysed]) -> list[Mapping[str, Mapping[str, float]]]:
    """Return the seconds of the stages of each version from the file at *path*, and show its diagnostics."""
    reports = [Report() for _ in analyses]
    times: list[Mapping[str, Mapping[str, float]]] = []
    for analysis, report in zip(analyses, reports, strict=True):
        plans = {plan.name: plan for plan in analysis.plans}
        try:
            known = load_durations(path, plans, report)
            report.stop_if_errors()
        except Stopped:
            show(report.diagnostics(), Format.TEXT, sys.stderr)
            raise click.exceptions.Exit(Exit.PROBLEMS) from None
        times.append(
            {name: {task.stage: seconds for task, seconds in known.items() if task.pipeline == name} for name in plans}
        )
    show(_common(*reports), Format.TEXT, sys.stderr)
    return times


def _common(old: Report, new: Report) -> list[Diagnostic]:
    """Return the diagnostics of times for the new version, except unknown stages that exist in the old one."""
    old_messages = {diagnostic.message for diagnostic in old.diagnostics()}
    return [
        diagnostic
        for diagnostic in new.diagnostics()
        if diagnostic.code is not codes.UNKNOWN_DURATION or diagnostic.message in old_messages
    ]
