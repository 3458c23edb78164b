"""Generated files compared with existing files, or written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TextIO

from pipegen.cli.exits import Exit
from pipegen.cli.files.drift import (
    CheckResult,
    check_results,
    edited,
    left_over,
    parts_of_others,
    report_edited,
    report_left_over,
)
from pipegen.cli.files.output import is_foreign, make_folder, write
from pipegen.cli.files.regenerate import Result
from pipegen.cli.session import Format, inform, show
from pipegen.cli.terminal.colours import DIFFERENCES
from pipegen.cli.terminal.redaction import text_without_tokens
from pipegen.cli.terminal.streams import say, show_text
from pipegen.diagnostics.report import Report


def check_files(results: Sequence[Result], form: Format, report: Report, *, strict: bool) -> Exit:
    """Show how existing files differ from *results*, and why, with the diagnostics of *report*."""
    checked = CheckResult(report, strict)
    check_results(results, checked, "pipegen compile")
    for written in left_over(results):
        report_left_over(written, report)
    return show_checked(checked, form)


def show_checked(checked: CheckResult, form: Format) -> Exit:
    """Show the diffs of files on one stream, and diagnostics on the other."""
    if checked.diffs:
        write_text = say if form.is_report else partial(show_text, colours=DIFFERENCES)
        for diff in checked.diffs:
            write_text(text_without_tokens(diff), ends_line=False)
    return show_check_result(checked, form, check_stream(form))


def check_stream(form: Format) -> TextIO:
    """Return the stream for diagnostics of `--check`: standard output for reports, with diffs on standard error."""
    return sys.stdout if form.is_report else sys.stderr


def show_check_result(checked: CheckResult, form: Format, stream: TextIO) -> Exit:
    """Show the diagnostics of *checked* on *stream*, and its messages to the user."""
    show(checked.report.diagnostics(), form, stream)
    for words in checked.words:
        inform(form, words)
    return Exit.PROBLEMS if checked.diffs or checked.report.has_errors(strict=checked.strict) else Exit.FINE


def write_files(results: Sequence[Result], form: Format, report: Report, *, force: bool) -> Exit:
    """Write *results*, all or none; unless *force*, keep files that the user wrote or changed, and parts of others.

    The diagnostics of *report* are shown first, with those of the existing files.
    """
    if not force and (reason := obstacle(results)):
        show(report.diagnostics(), form, sys.stderr)
        say(reason)
        return Exit.PROBLEMS
    for written, result in () if force else edited(results):
        report_edited(written, result, report)
    for written in left_over(results):
        report_left_over(written, report)
    show(report.diagnostics(), form, sys.stderr)
    if report.has_errors():
        return Exit.PROBLEMS
    for result in results:
        inform(form, write_one(result))
    return Exit.FINE


def obstacle(results: Sequence[Result]) -> str:
    """Return why *results* would replace a file that the user wrote, or a part of another one; "" if they do not."""
    for result in results:
        if is_foreign(result.path):
            return f"pipegen: {result.path} was not written by pipegen: move it, or overwrite it with --force"
    for result, other in parts_of_others(results):
        return f"pipegen: {result.path} belongs to {other.path}: delete that file, or write to another folder"
    texts: dict[Path, str] = {}
    for result in results:
        if texts.setdefault(result.path, result.file.text) != result.file.text:
            return f"pipegen: two files would have different parts {result.path}: write one to another folder"
    return ""


def write_one(result: Result) -> str:
    """Write *result*, and return a message."""
    if "/" in result.file.name:
        make_folder(result.path.parent)
    is_new = write(result.path, result.file.text)
    return f"{result.path} {'written' if is_new else 'unchanged'}"
