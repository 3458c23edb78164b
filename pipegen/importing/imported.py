"""The result of an import, and of its comparison with the source."""

from __future__ import annotations

from pathlib import Path

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Count, KeyOutcome
from pipegen.source.text import Span
from pipegen.structs import Struct
from pipegen.targets.base import GeneratedFile

# For one key, and for several.
_WORDS = {
    KeyOutcome.TRANSLATED: ("is translated", "are translated"),
    KeyOutcome.UNUSED: ("has no effect", "have no effect"),
    KeyOutcome.ELSEWHERE: ("depends on a file that is not here", "depend on files that are not here"),
    KeyOutcome.RAW: ("stays raw", "stay raw"),
    KeyOutcome.REPORTED: ("is left out", "are left out"),
}


class ImportSettings(Struct, kw_only=True):
    """What an import depends on besides its file, and whether its runs are compared with those of the file.

    *repository* is the root of the file's repository. *projects* is the folder with checkouts of other projects, if
    there is one.
    """

    repository: Path
    projects: Path | None
    default_branch: str
    is_compared: bool


class Imported(Struct, kw_only=True):
    """The config as *text*, the constructs by outcome, and the files that the config compiles to."""

    text: str
    count: Count
    generated: tuple[GeneratedFile, ...]

    @property
    def has_stages(self) -> bool:
        """Whether the config has stages."""
        return True

    @property
    def words(self) -> str:
        """The outcome in a few words."""
        numbers = [(self.count.number(outcome), outcome) for outcome in KeyOutcome]
        return f"of {self.count.keys} keys, " + ", ".join(
            f"{number} {_WORDS[outcome][number > 1]}" for number, outcome in numbers if number
        )


class RunDifference(Struct, kw_only=True):
    """A difference between the runs of two pipelines, at a job or stage, and the events for which there is one."""

    at: Span
    message: str
    events: tuple[str, ...]


class Proof(Struct, kw_only=True):
    """The result: the number of events with a run of the source, 0 if none starts a job, and the differences.

    *misordered* are the jobs that wait for others, or get others' files, than in the source. *restriction* says what
    took no part, "" for nothing.
    """

    events: int
    differences: tuple[RunDifference, ...]
    misordered: frozenset[str] = frozenset()
    restriction: str = ""

    @property
    def words(self) -> str:
        """The result in a few words."""
        number = len(self.differences)
        restriction = f", {self.restriction}" if self.restriction else ""
        if not self.events:
            return f"not compared, because no event starts a pipeline{restriction}"
        result = f"{number} difference{'s' * (number > 1)} in" if number else "the same for"
        return f"{result} {self.events} event{'s' * (self.events > 1)}{restriction}"


class ComparedImport(Struct):
    """An import, and the comparison of its runs.

    There is none if the source has errors, if the config does not compile, or if nobody asked for it.
    """

    imported: Imported
    proof: Proof | None


def report_differences(proof: Proof, report: Report) -> None:
    """Report the differences of *proof* at the jobs of the source."""
    for difference in proof.differences:
        rest = len(difference.events) - 1
        others = f" and {rest} other events" if rest > 1 else " and 1 other event" if rest else ""
        report.add(
            codes.IMPORT_DIFFERS,
            f"{difference.message} ({difference.events[0]}{others})",
            at=difference.at,
            hint="correct the config, or accept the difference",
        )
