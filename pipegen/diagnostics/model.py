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
        return _SEVERITIES.index(self)


_SEVERITIES = tuple(Severity)


class Code(Struct):
    """A kind of diagnostic: `PG301`, `unknown-stage`; never reused.

    The first digit is the stage that finds it: 1 reading, 2 schema, 3 names,
    4 graph, 5 plan, 6 target, 7 lint, 8 run. Comments and settings may also use the name that it had before.
    """

    number: str
    name: str
    severity: Severity
    former_name: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it can be neither lowered nor ignored: nothing right can be made of a config with such an error.

        Lint alone is a matter of taste, whatever its severity.
        """
        return self.severity is Severity.ERROR and not self.number.startswith("PG7")


class Label(Struct):
    """A place, and a few words about it; no words underline it only."""

    span: Span
    text: str = ""


class Edit(Struct):
    """A stretch of a file, and the text that takes its place."""

    span: Span
    text: str = ""


class Fix(Struct):
    """What mends the text without a change of its meaning: in a few words, and as edits of one file.

    No two edits of a fix meet. `check --fix` makes them, and keeps them where the plan stays the same.
    """

    title: str
    edits: tuple[Edit, ...]


class Diagnostic(Struct):
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

    def with_severity(self, severity: Severity) -> Diagnostic:
        """Return the same diagnostic, taken for as much as *severity* says."""
        code = Code(self.code.number, self.code.name, severity)
        return Diagnostic(code, self.message, self.primary, self.related, self.hint, self.fix)
