"""The model of a diagnostic."""

from __future__ import annotations

from enum import Enum

from pipegen.source.text import Span
from pipegen.structs import Struct


class Severity(Enum):
    """How much a diagnostic matters; only errors stop a compilation."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The position in sorted lists: errors first."""
        return _SEVERITIES.index(self)


_SEVERITIES = tuple(Severity)


class Code(Struct):
    """A kind of diagnostic: `PG301`, `unknown-stage`; never reused.

    The first digit is the stage that finds it: 1 reading, 2 schema, 3 names, 4 graph, 5 plan, 6 target, 7 lint, 8 run.
    Comments and settings may also use *former_name*.
    """

    number: str
    name: str
    severity: Severity
    former_name: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it can be neither lowered nor ignored: a config with such an error cannot be compiled.

        Lint rules can be ignored, even if they are errors.
        """
        return self.severity is Severity.ERROR and not self.number.startswith("PG7")


class Label(Struct):
    """A span and a short text; without text, the span is only underlined."""

    span: Span
    text: str = ""


class Edit(Struct):
    """A span of a file, and the text that replaces it."""

    span: Span
    text: str = ""


class Fix(Struct):
    """A fix of the source without a change of its meaning: a title, and edits of one file that do not overlap.

    `check --fix` applies the edits, and keeps them if the plan stays the same.
    """

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(Struct):
    """A message with its code, labels, hint and fix.

    A diagnostic without a location in a file (a missing file, for example) has no primary label.
    """

    code: Code
    message: str
    primary: Label | None
    related: tuple[Label, ...] = ()
    hint: str | None = None
    fix: Fix | None = None

    @property
    def severity(self) -> Severity:
        """The severity of the code."""
        return self.code.severity

    def with_severity(self, severity: Severity) -> Diagnostic:
        """Return the same diagnostic with another *severity*."""
        code = Code(self.code.number, self.code.name, severity)
        return Diagnostic(code, self.message, self.primary, self.related, self.hint, self.fix)
