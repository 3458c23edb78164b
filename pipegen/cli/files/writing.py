"""Generated files checked against those that lie there, or written in their place."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from pipegen.cli.exits import Exit
from pipegen.cli.files.drift import CheckResult, check_results, edited, left_over, report_edited, report_left_over
from pipegen.cli.files.output import is_foreign, make_folder, write
from pipegen.cli.files.regenerate import Result
from pipegen.cli.session import Format, show, tell
from pipegen.cli.streams import say, show_text
from pipegen.diagnostics.report import Report


def check_files(results: Sequence[Result], form: Format, report: Report, *, strict: bool) -> Exit:
    """Show how the files that lie there differ from *results*, and why, beside what *report* holds."""
    found = CheckResult(report, strict)
    check_results(results, found, "pipegen compile")
    for written in left_over(results):
        report_left_over(written, report)
    return show_checked(found, form)


def show_checked(found: CheckResult, form: Format) -> Exit:
    """Show how files differ from their configs, and why: the diffs on one stream, diagnostics on the other."""
    if found.diffs:
        from pipegen.cli.redaction import text_without_tokens  # noqa: PLC0415 - files that differ are few

        write_text = say if form.is_report else show_text
        for diff in found.diffs:
            write_text(text_without_tokens(diff), ends_line=False)
    return show_found(found, form, check_stream(form))


def check_stream(form: Format) -> TextIO:
    """Return where `--check` writes diagnostics: a report for programs is the output, and diffs stand beside it."""
    return sys.stdout if form.is_report else sys.stderr


def show_found(found: CheckResult, form: Format, stream: TextIO) -> Exit:
    """Show the diagnostics of *found* on *stream*, and its words to people."""
    show(found.report.diagnostics(), form, stream)
    for words in found.words:
        tell(form, words)
    return Exit.PROBLEMS if found.diffs or found.report.has_errors(strict=found.strict) else Exit.FINE


def write_files(results: Sequence[Result], form: Format, report: Report, *, force: bool) -> Exit:
    """Write *results*, all or none: what a person wrote or changed is kept unless *force* says otherwise.

    What *report* holds is shown before, with what is to be said of the files that lie there.
    """
    for result in results:
        if not force and is_foreign(result.path):
            show(report.diagnostics(), form, sys.stderr)
            say(f"pipegen: {result.path} was not written by pipegen: move it away, or overwrite it with --force")
            return Exit.PROBLEMS
    for written, result in () if force else edited(results):
        report_edited(written, result, report)
    for written in left_over(results):
        report_left_over(written, report)
    show(report.diagnostics(), form, sys.stderr)
    if report.has_errors():
        return Exit.PROBLEMS
    for result in results:
        tell(form, write_one(result))
    return Exit.FINE


def write_one(result: Result) -> str:
    """Write *result*, and return words on that."""
    if "/" in result.file.name:
        make_folder(result.path.parent)
    is_new = write(result.path, result.file.text)
    return f"{result.path} {'written' if is_new else 'unchanged'}"
