"""The user's policy for diagnostics: the severities of codes, and where codes are ignored."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pipegen.diagnostics.model import Code, Diagnostic, Severity
from pipegen.source.text import Span
from pipegen.structs import Struct, field


class SeverityPolicy(Struct):
    """The severities of codes by number, None for a code that is off; with *is_strict*, warnings count as errors.

    Codes with `Code.is_fixed` keep their severity.
    """

    severities: Mapping[str, Severity | None] = field(default_factory=lambda: MappingProxyType({}))
    is_strict: bool = False

    def apply(self, diagnostic: Diagnostic) -> Diagnostic | None:
        """Return *diagnostic* with the severity of its code in this policy; None if the code is off."""
        severity = self.severities.get(diagnostic.code.number, diagnostic.severity)
        if severity is diagnostic.severity or diagnostic.code.is_fixed:
            return diagnostic
        return diagnostic.with_severity(severity) if severity is not None else None


class Ignore(Struct):
    """A comment that suppresses *code* between two offsets of its file; *span* is the code in the comment."""

    code: Code
    span: Span
    start: int
    end: int

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Return whether *diagnostic* is ignored."""
        if diagnostic.primary is None or diagnostic.code.number != self.code.number:
            return False
        at = diagnostic.primary.span
        return self.start <= at.start < self.end and at.file == self.span.file
