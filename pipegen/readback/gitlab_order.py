"""The order of the jobs of a file and of its child pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab_file import JobInFile, WrongFileError
from pipegen.structs import Struct

# A pipeline of 1,500 jobs, more than GitLab accepts in a file, may have as many.
_MOST_WAITS = 1_200_000
# The prefix of the moment at which a job starts child pipelines.
_START_PREFIX = "\0start of "


class OrderGap(Struct):
    """If rules drop *through*, *later* does not wait for *earlier*, for which it otherwise waits through *through*."""

    later: str
    earlier: str
    through: str


class _Wait(Struct):
    """A moment that precedes another.

    It *is_firm* if it exists whenever the other does, and *is_part* if it is that of a job in the child pipeline that
    the other one starts.
    """

    name: str
    is_firm: bool
    is_part: bool = False


class _Predecessor(Struct):
    """A job for which another waits: always (*is_firm*), or if it exists, or through the helper *through*."""

    is_firm: bool
    through: str

    def preferred(self, other: _Predecessor | None) -> _Predecessor:
        """Return the stronger of the two."""
        if other is None or self.is_firm or (other.through and not other.is_firm):
            return self
        return other


class FileOrders:
    """The jobs of all files, and their waits."""

    def __init__(self) -> None:
        self._jobs: dict[str, JobInFile] = {}
        self._waits: dict[str, list[_Wait]] = {}
        self._left = _MOST_WAITS

    def add(self, file_jobs: Mapping[str, JobInFile], start: JobInFile | None = None) -> None:
        """Add the jobs of a file; *start* is the job that starts them as a child pipeline."""
        for job in file_jobs.values():
            if job.name in self._jobs:
                raise WrongFileError(f'two jobs are called "{job.name}"', job.name)
            self._jobs[job.name] = job
            waits = [_Wait(_START_PREFIX + start.name, is_firm=True)] if start is not None else []
            waits += _of_needs(job, file_jobs) if job.needs is not None else _of_stages(job, file_jobs)
            self._left -= len(waits)
            if self._left < 0:
                message = f"its jobs have more than {_MOST_WAITS:,} needs in all, with those on earlier stages"
                raise WrongFileError(message, job.name)
            if job.children:
                self._waits[_START_PREFIX + job.name] = waits
                waits = [_Wait(_START_PREFIX + job.name, is_firm=True)]
            self._waits[job.name] = waits
            if start is not None and start.awaits_children:
                self._waits[start.name].append(_Wait(job.name, is_firm=not job.rules, is_part=True))

    def order(self) -> JobOrder:
        """Return the order of the jobs; raise `WrongFileError` for a cycle."""
        arcs = ((wait.name, name) for name, waits in self._waits.items() for wait in waits)
        moments = ExecutionGraph([*((name,) for name in self._waits), *arcs])
        if cycles := moments.cycles():
            names = (name.removeprefix(_START_PREFIX) for name in cycles[0])
            raise WrongFileError(f"jobs need each other: {' -> '.join(names)}")
        return JobOrder(self._jobs, self._waits, moments.topological())


class JobOrder:
    """The order of jobs as bit sets: each job has a bit, later jobs have higher bits.

    *moments* are in topological order.
    """

    def __init__(self, jobs: Mapping[str, JobInFile], waits: Mapping[str, list[_Wait]], moments: Sequence[str]) -> None:
        self._jobs = jobs
        self._waits = waits
        self._moments = moments
        self._shown = [name for name in moments if self._is_shown(name)]
        self._bits = {name: bit for bit, name in enumerate(self._shown)}
        self._ancestors: dict[str, int] = {}
        for name in moments:
            self._ancestors[name] = self._joined(name, self._ancestors)

    def graph(self) -> ExecutionGraph:
        """Return the order if all jobs run: all direct waits, and the waits through helpers that nothing implies."""
        arcs: list[tuple[str, ...]] = [(name,) for name in self._jobs if self._is_shown(name)]
        for name in self._shown:
            direct = [wait.name for wait in self._waits[name] if self._is_shown(wait.name)]
            implied = reduce(or_, (self._ancestors[earlier] | 1 << self._bits[earlier] for earlier in direct), 0)
            through = (
                earlier for earlier in self._latest(self._ancestors[name]) if not implied >> self._bits[earlier] & 1
            )
            arcs += ((earlier, name) for earlier in (*direct, *through))
        return ExecutionGraph(arcs)

    def gaps(self, graph: ExecutionGraph) -> Iterator[OrderGap]:
        """Yield the gaps in *graph*, which is this order, that arise if rules drop a job."""
        sure: dict[str, int] = {}
        for name in self._moments:
            if all(wait.is_firm and (self._is_shown(wait.name) or wait.name in sure) for wait in self._waits[name]):
                sure[name] = self._joined(name, sure)
                continue
            predecessors, known = self._seen(name, sure)
            known = reduce(
                or_,
                (1 << self._bits[earlier] for earlier, predecessor in predecessors.items() if not predecessor.through),
                known,
            )
            known = reduce(
                or_,
                (sure[earlier] for earlier, predecessor in predecessors.items() if predecessor.is_firm),
                known,
            )
            gaps = self._gaps_of(name, predecessors, known, graph)
            if self._is_shown(name):
                sure[name] = known
                yield from gaps
            elif not any(gaps):
                # Jobs that wait for this helper do not need to look behind it.
                sure[name] = known

    def _gaps_of(
        self, name: str, predecessors: Mapping[str, _Predecessor], sure: int, graph: ExecutionGraph
    ) -> Iterator[OrderGap]:
        candidates = [
            (earlier, predecessor.through) for earlier, predecessor in predecessors.items() if predecessor.through
        ]
        optional = (job for job, predecessor in predecessors.items() if not predecessor.is_firm)
        candidates += ((earlier, job) for job in optional for earlier in self._before(job, graph))
        for earlier, through in candidates:
            # In runs in which a person may start the job, no other waits for it, and the helper does not exist.
            is_optional = self._jobs[earlier].may_be_optional and self._is_helper_of(through, earlier)
            if not is_optional and not sure >> self._bits[earlier] & 1:
                yield OrderGap(name, earlier, through)

    def _before(self, name: str, graph: ExecutionGraph) -> Iterator[str]:
        """Yield the direct predecessors of *name*, without the jobs of child pipelines, which only run if it does."""
        start = _START_PREFIX + name
        return self._latest(self._ancestors[start]) if start in self._ancestors else iter(graph.predecessors(name))

    def _is_helper_of(self, name: str, other: str) -> bool:
        """Return whether *name* is a helper that only waits for *other*."""
        return not self._is_shown(name) and [wait.name for wait in self._waits[name]] == [other]

    def _joined(self, name: str, known: Mapping[str, int]) -> int:
        """Return the bits of the predecessors of *name*, and of their *known* ancestors."""
        bits = 0
        for wait in self._waits[name]:
            bits |= known[wait.name] | (1 << self._bits[wait.name] if wait.name in self._bits else 0)
        return bits

    def _latest(self, mask: int) -> Iterator[str]:
        """Yield the jobs in *mask* that precede no other job in it."""
        while mask:
            name = self._shown[mask.bit_length() - 1]
            yield name
            mask &= ~(self._ancestors[name] | 1 << self._bits[name])

    def _is_shown(self, name: str) -> bool:
        return name in self._jobs and not self._jobs[name].is_helper

    def _seen(self, name: str, sure: Mapping[str, int]) -> tuple[dict[str, _Predecessor], int]:
        """Return the jobs for which *name* waits, directly or through helpers, and the bits of *sure* helpers."""
        waits_for: dict[str, _Predecessor] = {}
        known = 0
        passed: dict[str, tuple[str, str]] = {}
        # Each wait, and the helper through which it may go missing; the second is for parts of a child pipeline.
        pending = [(wait, "", "") for wait in reversed(self._waits[name])]
        while pending:
            wait, through, of_parts = pending.pop()
            is_firm = wait.is_firm or self._has_rules_of(wait.name, name)
            is_sure = is_firm and not through
            through = of_parts if wait.is_part else through
            if self._is_shown(wait.name):
                waits_for[wait.name] = _Predecessor(is_sure, through).preferred(waits_for.get(wait.name))
                continue
            if is_sure and wait.name in sure:
                known |= sure[wait.name]
                continue
            state = through if is_firm or through else wait.name, through
            if wait.name not in passed or bool(state[0]) < bool(passed[wait.name][0]):
                passed[wait.name] = state
                pending += [(next_wait, *state) for next_wait in reversed(self._waits[wait.name])]
        return waits_for, known

    def _has_rules_of(self, name: str, other: str) -> bool:
        """Return whether *name* exists whenever *other* does, because both have the same rules."""
        return name in self._jobs and other in self._jobs and self._jobs[name].rules == self._jobs[other].rules


def _of_needs(job: JobInFile, file_jobs: Mapping[str, JobInFile]) -> list[_Wait]:
    return [
        _Wait(need.job, is_firm=not need.is_optional or not file_jobs[need.job].rules)
        for need in job.needs or ()
        if need.job in file_jobs
    ]


def _of_stages(job: JobInFile, file_jobs: Mapping[str, JobInFile]) -> list[_Wait]:
    earlier = (other for other in file_jobs.values() if other.stage < job.stage and other.is_awaited)
    return [_Wait(other.name, is_firm=not other.rules) for other in earlier]
