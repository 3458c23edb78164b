"""What the user says of diagnostics: which severity a code has, and where it is ignored."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.diagnostics.model import Code, Diagnostic, Severity
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class SeverityPolicy(Struct):
    """The severities of codes by their numbers, None for a code that is off; *is_strict* lets warnings count as errors.

    What is fixed keeps its severity: see `Code.is_fixed`.
    """

    severities: Mapping[str, Severity | None] = field(default_factory=lambda: MappingProxyType({}))
    is_strict: bool = False

    def judge(self, found: Diagnostic) -> Diagnostic | None:
        """Return *found* with the severity that its code is given; None where that is off."""
        given = self.severities.get(found.code.number, found.severity)
        if given is found.severity or found.code.is_fixed:
            return found
        return found.with_severity(given) if given is not None else None


class Ignore(Struct):
    """A comment that keeps *code* from being told between two places of its file; *span* is the code in the comment."""

    code: Code
    span: Span
    start: int
    end: int

    def covers(self, found: Diagnostic) -> bool:
        """Return whether *found* is ignored."""
        if found.primary is None or found.code.number != self.code.number:
            return False
        at = found.primary.span
        return self.start <= at.start < self.end and at.file == self.span.file
