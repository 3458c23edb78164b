"""What a diagnostic is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pipegen.source.text import Span


class Severity(Enum):
    """How much a diagnostic matters; only errors stop a compilation."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """The place in an ordered list: errors first."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic: `PG301`, `unknown-stage`; never reused.

    The first digit is the stage that finds it: 1 reading, 2 schema, 3 names,
    4 graph, 5 plan, 6 target, 7 lint, 8 run.
    """

    number: str
    name: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Label:
    """A place, and a few words about it; no words underline it only."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of a file, and the text that takes its place."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends the text without a change of its meaning: in a few words, and as edits of one file.

    No two edits of a fix meet. `check --fix` makes them, and keeps them where the plan stays the same.
    """

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: the line to show if only one can be shown, and where to look.

    A diagnostic about no place in a file (a missing file, say) has no primary label.
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
