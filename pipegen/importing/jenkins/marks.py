"""What became of the constructs of a Jenkinsfile, and the diagnostics about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.jenkins.reading.constructs import constructs
from pipegen.importing.jenkins.reading.syntax import (
    GroovyArgument,
    GroovyAssignment,
    GroovyCall,
    OtherGroovy,
    Statement,
)
from pipegen.source.text import Span

# Constructs that stay commands of the script whatever else a config refuses.
_COMMANDS = frozenset({"stage", "steps", "steps:sh", "steps:echo"})

_NOT_RUN = "other engines do not run it: check that the stage works without it"


class StaysGroovyError(Exception):
    """The reason why a step, and the block around it, cannot be translated."""


class Marks:
    """Marks constructs, and reports those that are not translated."""

    def __init__(self, accounting: Accounting, report: Report) -> None:
        self._accounting = accounting
        self._report = report

    @contextmanager
    def trial(self) -> Iterator[None]:
        """Undo the marks and diagnostics of the block if it raises `StaysGroovyError`."""
        earlier, report = self._accounting.copy(), self._report
        self._report = Report()
        try:
            yield
        except StaysGroovyError:
            self._accounting.restore(earlier)
            self._report = report
            raise
        report.take(self._report)
        self._report = report

    def translated(self, *calls: GroovyCall | GroovyArgument | GroovyAssignment | None) -> None:
        """Mark the name of each of *calls*, without its contents."""
        for call in calls:
            if call is not None:
                self._accounting.mark_span(call.span, KeyOutcome.TRANSLATED)

    def all(self, statement: Statement, outcome: KeyOutcome = KeyOutcome.TRANSLATED) -> None:
        """Mark *statement* and each construct in it."""
        for _, span in constructs(statement):
            self._accounting.mark_span(span, outcome)

    def read(self, call: GroovyCall, *names: str) -> None:
        """Mark *call* and the arguments *names*, and report its other arguments."""
        self.translated(call)
        others = []
        for argument in call.arguments:
            if argument.name in names or not argument.name:
                self.translated(argument)
            else:
                self._accounting.mark_span(argument.span, KeyOutcome.REPORTED)
                others.append(argument)
        if others:
            self._report.add(
                codes.NOT_IMPORTED,
                f'{listed([argument.name for argument in others])} of "{call.name}" {_is(others)} left out',
                at=others[0].span,
                hint="a config has no equivalent: remove it, or write the step with a key of Jenkins",
            )

    def raw(
        self, statement: GroovyCall | GroovyAssignment, where: str, reason: str = "", *, hint: str = _NOT_RUN
    ) -> None:
        """Mark *statement*, which stays Groovy in *where*."""
        self.all(statement, KeyOutcome.RAW)
        self._report.add(
            codes.KEPT_RAW,
            f'"{statement.name}" of {where} stays Groovy{reason and f": {reason}"}',
            at=statement.span,
            hint=hint,
        )

    def definition(self, statement: Statement) -> None:
        """Mark *statement*, which stays Groovy outside the stages."""
        self.all(statement, KeyOutcome.RAW)
        self._report.add(
            codes.KEPT_RAW,
            'this Groovy code stays in "definitions" of Jenkins',
            at=_head(statement),
            hint="other engines do not have it",
        )

    def left_out(self, statement: Statement, reason: str, *, hint: str = "write it as a command of the script") -> None:
        """Mark *statement*, which the config does not contain, because of *reason*."""
        self.all(statement, KeyOutcome.REPORTED)
        name = "this Groovy code" if isinstance(statement, OtherGroovy) else f'"{statement.name}"'
        self._report.add(codes.NOT_IMPORTED, f"{name} is left out: {reason}", at=_head(statement), hint=hint)

    def left_out_folder(self, option: GroovyCall) -> None:
        """Mark *option*, which puts the checkout into a folder of the workspace."""
        hint = "remove the folder from paths in commands and other steps"
        self.left_out(option, "the checkout of a stage is the workspace itself", hint=hint)

    def never_runs(self, stage: GroovyCall, name: str) -> None:
        """Mark *stage*, which the config does not contain, because its condition never holds."""
        self.all(stage, KeyOutcome.REPORTED)
        self.reported(stage.span, f'stage "{name}" is left out: its condition never holds', "remove it")

    def refused(self, call: GroovyCall, key: str, message: str) -> None:
        """Report *message* about *call*, whose *key* a config refuses: its contents count as left out.

        Its commands stay unless they themselves are refused, and so does its Groovy.
        """
        if call.name != "pipeline":
            for path, span in constructs(call):
                is_kept = self._accounting.outcome(span) is KeyOutcome.RAW
                if not is_kept and (key == "script" or path not in _COMMANDS):
                    self._accounting.mark_span(span, KeyOutcome.REPORTED)
        self._report.add(codes.NOT_IMPORTED, message, at=call.span, hint="add it by hand")

    def differs(self, span: Span, message: str, hint: str) -> None:
        """Report *message* about a difference at *span*, whose constructs have their outcomes."""
        self._report.add(codes.NOT_IMPORTED, message, at=span, hint=hint)

    def report_fail_fast(self, span: Span) -> None:
        """Report that `failFast` at *span* stops stages that run, which no key does."""
        self.differs(
            span,
            'after a failure, Jenkins also stops the stages that run; with "fail_fast", they finish',
            "set a timeout for stages that take long",
        )

    def has_outcome(self, span: Span) -> bool:
        """Return whether the construct at *span* has an outcome."""
        return self._accounting.outcome(span) is not None

    def structure(self, span: Span) -> None:
        """Mark a word that only gives the file its structure."""
        self._accounting.mark_span(span, KeyOutcome.TRANSLATED)

    def reported(self, span: Span, message: str, hint: str) -> None:
        """Mark the construct at *span*, about which *message* is reported."""
        self._accounting.mark_span(span, KeyOutcome.REPORTED)
        self._report.add(codes.NOT_IMPORTED, message, at=span, hint=hint)


def _is(many: Iterable[object]) -> str:
    return "is" if len(list(many)) == 1 else "are"


def _head(statement: Statement) -> Span:
    """Return the name of *statement*, or its first line."""
    span = statement.span
    end = span.file.text.find("\n", span.start, span.end)
    return Span(span.file, span.start, end) if isinstance(statement, OtherGroovy) and end >= 0 else span
