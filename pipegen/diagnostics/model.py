"""What a diagnostic is made of."""

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
        """The place in an ordered list: errors first."""
        return list(Severity).index(self)


class Code(Struct):
    """A kind of diagnostic: `PG301`, `unknown-stage`; never reused.

    The first digit is the stage that finds it: 1 reading, 2 schema, 3 names,
    4 graph, 5 plan, 6 target, 7 lint, 8 run.
    """

    number: str
    name: str
    severity: Severity


class Label(Struct):
    """A place, and a few words about it; no words underline it only."""

    span: Span
    text: str = ""


class Diagnostic(Struct):
    """One finding: the line to show if only one can be shown, and where to look.

    A diagnostic about no place in a file (a missing file, say) has no primary label.
    """

    code: Code
    message: str
    primary: Label | None
    related: tuple[Label, ...] = ()
    hint: str | None = None

    @property
    def severity(self) -> Severity:
        """The severity of the code."""
        return self.code.severity
