"""Keys of jobs that stay keys of GitLab: their values and outcomes, and one diagnostic for jobs that share a key."""

from __future__ import annotations

from collections.abc import Collection

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.importing.accounting import Accounting, KeyOutcome, entries_in
from pipegen.importing.gitlab.reading.missing import first_of
from pipegen.importing.gitlab.reading.tree import flat_items
from pipegen.importing.gitlab.stages.keys.base import raw_data
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Sequence, is_null

# Keys in whose lists GitLab puts the items of inner lists: https://docs.gitlab.com/ci/yaml/yaml_optimization/
_FLAT = ("before_script", "script", "after_script", "rules")

# The most places of a key in one file that are reported each for itself.
_MOST_PLACES = 5


class RawKeys:
    """Collects the raw keys of all jobs."""

    def __init__(self, accounting: Accounting) -> None:
        self._accounting = accounting
        self._jobs: dict[tuple[str, str, str], dict[Span, list[str]]] = {}

    def kept(
        self,
        job: str,
        entries: Collection[Entry],
        reason: str,
        known: Collection[Entry] = (),
        outcome: KeyOutcome = KeyOutcome.RAW,
    ) -> dict[str, Data]:
        """Return *entries* of *job*, which stay raw for a *reason*; its stage also has the *known* ones in them."""
        data: dict[str, Data] = {}
        for entry in entries:
            if is_null(entry.value):
                self._accounting.mark(entry, KeyOutcome.TRANSLATED)
                continue
            self.mark(job, entry, reason, known, outcome)
            value = entry.value
            is_flat = entry.key.text in _FLAT and isinstance(value, Sequence)
            data[entry.key.text] = [raw_data(item) for item in flat_items(value)] if is_flat else raw_data(value)
        return data

    def mark(
        self,
        job: str,
        entry: Entry,
        reason: str,
        known: Collection[Entry] = (),
        outcome: KeyOutcome = KeyOutcome.RAW,
    ) -> None:
        """Give *entry* of *job* *outcome*, and the entries in it, except those that are *known*."""
        translated = {id(inner) for known_entry in known for inner in (known_entry, *entries_in(known_entry.value))}
        for inner in (entry, *entries_in(entry.value)):
            self._accounting.mark_key(inner.key, KeyOutcome.TRANSLATED if id(inner) in translated else outcome)
        self.add(job, entry.key.text, entry.key.span, reason)

    def add(self, job: str, key: str, at: Span, reason: str) -> None:
        """Report that *key* of *job* stays raw for a *reason*."""
        self._jobs.setdefault((at.file.path, key, reason), {}).setdefault(at, []).append(job)

    def report(self, report: Report) -> None:
        """Report the keys that stay raw, each once with the jobs that have it.

        One of a file that stays raw for the same reason in many places is reported once, too.
        """
        for (_, key, reason), places in self._jobs.items():
            if len(places) > _MOST_PLACES:
                names = list(dict.fromkeys(name for names in places.values() for name in names))
                _report(key, next(iter(places)), names, reason, report)
            else:
                for at, names in places.items():
                    _report(key, at, names, reason, report)


def _report(key: str, at: Span, names: list[str], reason: str, report: Report) -> None:
    report.add(
        codes.KEPT_RAW,
        f'"{key}" of job {first_of(names)} stays a key of GitLab{f": {reason}" if reason else ""}',
        at=at,
        hint='other engines do not read "raw": check that the stage works without it',
    )
