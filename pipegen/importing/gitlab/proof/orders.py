"""The import whose runs are most like those of its source.

Jobs that would wait for others in some runs keep their needs raw, if this makes the runs more alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.importer import GitLabImport, import_gitlab, with_needs
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.gitlab.reading.locations import Roots
from pipegen.importing.gitlab.stages.after_failures import Misordered
from pipegen.importing.imported import ComparedImport, ImportSettings, Proof
from pipegen.source.text import SourceFile
from pipegen.structs import Struct


def compared_import(file: SourceFile, settings: ImportSettings, report: Report) -> ComparedImport:
    """Return the import of the pipeline in *file*; raise `Stopped` if it cannot be read."""
    own = Report()
    try:
        roots = Roots(settings.repository, settings.projects)
        imported = import_gitlab(file, roots, settings.default_branch, own)
        proof = prove(imported) if settings.is_compared and not own.has_errors() else None
        if proof is not None and proof.misordered:
            best = _in_another_order(_Attempt(imported, proof, own))
            imported, proof, own = best.imported, best.proof, best.report
        return ComparedImport(imported, proof)
    finally:
        report.take(own)


class _Attempt(Struct):
    """An import, the comparison of its runs, and its diagnostics."""

    imported: GitLabImport
    proof: Proof
    report: Report

    def differences(self) -> Counter[str]:
        """Return the number of differences of each job."""
        numbers = Counter(difference.at for difference in self.proof.differences)
        return Counter({name: numbers[job.key.span] for name, job in self.imported.source.jobs.items()})


def _in_another_order(first: _Attempt) -> _Attempt:
    """Return the import whose runs differ least: the *first*, or one in which its misordered jobs have another order.

    Each of them can have raw needs, or the order of stages although the generated file has jobs in other stages.
    """
    names = first.proof.misordered
    second = _attempt(first, Misordered(names))
    if second is None:
        return first
    attempts = [first, second]
    of_first, of_second = first.differences(), second.differences()
    raw = {name for name in names if of_second[name] < of_first[name]}
    again = names & second.proof.misordered - second.imported.staged
    staged = {name: min(of_first[name], of_second[name]) for name in again}
    if staged or raw != names:
        third = _attempt(first, Misordered(raw, staged), [second.imported])
        attempts += [third] if third is not None else []
    return min(attempts, key=lambda attempt: len(attempt.proof.differences))


def _attempt(first: _Attempt, misordered: Misordered, others: Collection[GitLabImport] = ()) -> _Attempt | None:
    """Return the *first* import with *misordered* jobs, None if it does not compile or is one of *others*."""
    report = Report()
    imported = with_needs(first.imported, misordered, report, others)
    proof = prove(imported) if imported is not None else None
    return _Attempt(imported, proof, report) if imported is not None and proof is not None else None
