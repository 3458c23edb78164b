"""Names in jobs that the files of the pipeline do not contain: each is reported once, with the jobs that have it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.reading.tree import text_of
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Node, child, entries_of, is_null

# `lib/gitlab/ci/config/entry/stage.rb` of GitLab
_DEFAULT_STAGE = "test"
# Keys of which a job has one: a job without them has another part elsewhere.
OWN_WORK = frozenset({"script", "run", "trigger"})


class MissingNames:
    """Collects the missing jobs and stages that jobs name; in a pipeline that *is_complete*, they are nowhere.

    *unread* are the includes of the files that are not here.
    """

    def __init__(self, unread: Sequence[Node], *, is_complete: bool) -> None:
        self._inputs = {text_of(entry.value) for item in unread for entry in entries_of(child(item, "inputs"))}
        self.code: Code = codes.NOT_IMPORTED if is_complete else codes.INCLUDE_NOT_READ
        self._is_complete = is_complete
        self._bases: dict[tuple[str, str], list[tuple[str, Span]]] = {}
        self._stages: dict[str, list[tuple[str, Span]]] = {}
        self._without_stage: dict[str | None, list[tuple[str, Span]]] = {}
        self._replaced: dict[tuple[str, str], list[tuple[str, Span]]] = {}

    def add_base(self, base: str, job: str, at: Span, similar: str | None) -> None:
        """Add that *job* extends *base*, which is spelled like *similar*, if anything."""
        hint = f'write "{similar}"' if similar and self._is_complete else "add its keys to the stage"
        self._bases.setdefault((base, hint), []).append((job, at))

    def add_replaced(self, bases: Sequence[str], missing: Collection[str], job: str, at: Span) -> None:
        """Record that *job* extends *bases*; keys of the *missing* ones would replace those of earlier ones."""
        for number, base in enumerate(bases):
            later = next((other for other in bases[number:] if other in missing), None)
            if base not in missing and later is not None:
                self._replaced.setdefault((base, later), []).append((job, at))

    def stage(
        self, keys: Mapping[str, Entry], job: str, at: Span, missing: Collection[str], stages: Collection[str]
    ) -> str:
        """Return the stage in the *keys* of *job*, which extends *missing* jobs; without one, a likely one.

        *stages* are those of the pipeline. If a job has no script, the file with its script may have its stage.
        """
        stage = keys.get("stage")
        has_stage = stage is not None and not is_null(stage.value)
        has_default = _DEFAULT_STAGE in stages
        may_be_elsewhere = bool(missing) or keys.keys().isdisjoint(OWN_WORK)
        if not has_stage and not self._is_complete and (may_be_elsewhere or not has_default):
            likely = self._likely_stage((job, *(base.removeprefix(".") for base in missing)), stages)
            likely = likely or (_DEFAULT_STAGE if has_default else None)
            self._without_stage.setdefault(likely, []).append((job, at))
            return likely or _DEFAULT_STAGE
        name = text_of(stage.value) if stage is not None and has_stage else _DEFAULT_STAGE
        if name not in stages:
            self._stages.setdefault(name, []).append((job, stage.value.span if stage is not None else at))
        return name

    def _likely_stage(self, names: Collection[str], stages: Collection[str]) -> str | None:
        """Return the only one of *stages* that is among *names*, else the only one that an unread include gets."""
        for likely in (names, self._inputs):
            candidates = [stage for stage in stages if stage in likely]
            if len(candidates) == 1:
                return candidates[0]
        return None

    def report(self, report: Report) -> None:
        """Report each name at the first job that has it."""
        for (base, hint), jobs in self._bases.items():
            message = f'the job "{base}", which {_jobs(jobs)} extend{"" if jobs[1:] else "s"}, is not in the files'
            report.add(self.code, message, at=jobs[0][1], hint=hint)
        for (base, later), jobs in self._replaced.items():
            message = (
                f'keys of "{later}", which is not in the files, do not replace those of "{base}" in job {_jobs(jobs)}'
            )
            report.add(self.code, message, at=jobs[0][1], hint="add its keys to the stage")
        for stage, jobs in self._stages.items():
            state = "does not exist" if self._is_complete else "is not in the files"
            runs = "they run last" if jobs[1:] else "it runs last"
            message = f'the stage "{stage}" of job {_jobs(jobs)} {state}: {runs}'
            report.add(self.code, message, at=jobs[0][1], hint='add it to "stages"')
        for likely, jobs in self._without_stage.items():
            assumption = f'"{likely}" is assumed' if likely else "they run last" if jobs[1:] else "it runs last"
            message = f"the stage of job {_jobs(jobs)} is not in the files: {assumption}"
            report.add(self.code, message, at=jobs[0][1], hint='add "stage" to the job')


def first_of(names: Sequence[str]) -> str:
    """Return the first of *names* for a message, and the number of the others."""
    others = len(names) - 1
    return f'"{names[0]}"' + (f" and {others} other{'s' if others > 1 else ''}" if others else "")


def _jobs(jobs: Sequence[tuple[str, Span]]) -> str:
    return first_of([name for name, _ in jobs])
