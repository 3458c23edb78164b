"""What waits for what in the jobs of a file and of its child pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab_file import JobInFile, WrongFileError
from pipegen.structs import Struct

# Before the name of a job that starts child pipelines: the moment when it does.
_START = "\0start of "


class OrderGap(Struct):
    """Where rules drop *through*, *later* does not wait for *earlier*, which it waits for by way of it otherwise."""

    later: str
    earlier: str
    through: str


class _Wait(Struct):
    """A moment that comes before another.

    It *is_firm* when it does not go missing without the other, and *is_part* when it is that of a job in the child
    pipeline that the other one starts.
    """

    name: str
    is_firm: bool
    is_part: bool = False


class _Seen(Struct):
    """A job that another waits for: always (*is_firm*), or where it is there, or by way of the helper *through*."""

    is_firm: bool
    through: str

    def better(self, other: _Seen | None) -> _Seen:
        """Return the one of the two that says more."""
        if other is None or self.is_firm or (other.through and not other.is_firm):
            return self
        return other


class FileOrders:
    """The jobs of all files, and which waits for which."""

    def __init__(self) -> None:
        self._jobs: dict[str, JobInFile] = {}
        self._waits: dict[str, list[_Wait]] = {}

    def add(self, found: Mapping[str, JobInFile], start: JobInFile | None = None) -> None:
        """Add the jobs *found* in a file; *start* is the job whose child pipeline they are."""
        for job in found.values():
            if job.name in self._jobs:
                raise WrongFileError(f'two jobs are called "{job.name}"', job.name)
            self._jobs[job.name] = job
            waits = [_Wait(_START + start.name, is_firm=True)] if start is not None else []
            waits += _of_needs(job, found) if job.needs is not None else _of_stages(job, found)
            if job.children:
                self._waits[_START + job.name] = waits
                waits = [_Wait(_START + job.name, is_firm=True)]
            self._waits[job.name] = waits
            if start is not None and start.awaits_children:
                self._waits[start.name].append(_Wait(job.name, is_firm=not job.rules, is_part=True))

    def order(self) -> JobOrder:
        """Return the order of the jobs; raise `WrongFileError` when they wait for each other."""
        arcs = ((wait.name, name) for name, waits in self._waits.items() for wait in waits)
        moments = ExecutionGraph([*((name,) for name in self._waits), *arcs])
        if cycles := moments.cycles():
            told = (name.removeprefix(_START) for name in cycles[0])
            raise WrongFileError(f"jobs need each other: {' -> '.join(told)}")
        return JobOrder(self._jobs, self._waits, moments.topological())


class JobOrder:
    """The order of jobs in bits: that of a job stands for it, later jobs have higher ones.

    *moments* are in an order that all waits allow.
    """

    def __init__(self, jobs: Mapping[str, JobInFile], waits: Mapping[str, list[_Wait]], moments: Sequence[str]) -> None:
        self._jobs = jobs
        self._waits = waits
        self._moments = moments
        self._shown = [name for name in moments if self._is_shown(name)]
        self._places = {name: place for place, name in enumerate(self._shown)}
        self._before: dict[str, int] = {}
        for name in moments:
            self._before[name] = self._joined(name, self._before)

    def graph(self) -> ExecutionGraph:
        """Return the order where all jobs run: all direct waits, and of those through helpers what nothing implies."""
        arcs: list[tuple[str, ...]] = [(name,) for name in self._jobs if self._is_shown(name)]
        for name in self._shown:
            direct = [wait.name for wait in self._waits[name] if self._is_shown(wait.name)]
            told = reduce(or_, (self._before[one] | 1 << self._places[one] for one in direct), 0)
            through = (one for one in self._latest(self._before[name]) if not told >> self._places[one] & 1)
            arcs += ((earlier, name) for earlier in (*direct, *through))
        return ExecutionGraph(arcs)

    def gaps(self, graph: ExecutionGraph) -> Iterator[OrderGap]:
        """Yield where the order in *graph*, which is this one, hangs on a job that rules may drop."""
        sure: dict[str, int] = {}
        for name in self._moments:
            if all(wait.is_firm and (self._is_shown(wait.name) or wait.name in sure) for wait in self._waits[name]):
                sure[name] = self._joined(name, sure)
                continue
            seen, known = self._seen(name, sure)
            known = reduce(or_, (1 << self._places[one] for one, how in seen.items() if not how.through), known)
            known = reduce(or_, (sure[one] for one, how in seen.items() if how.is_firm), known)
            gaps = self._gaps_of(name, seen, known, graph)
            if self._is_shown(name):
                sure[name] = known
                yield from gaps
            elif not any(gaps):
                # Whoever waits for this helper needs no look at what is behind it.
                sure[name] = known

    def _gaps_of(self, name: str, seen: Mapping[str, _Seen], sure: int, graph: ExecutionGraph) -> Iterator[OrderGap]:
        hanging = [(one, how.through) for one, how in seen.items() if how.through]
        dropped = (one for one, how in seen.items() if not how.is_firm)
        hanging += ((earlier, one) for one in dropped for earlier in graph.predecessors(one))
        for earlier, through in hanging:
            if not sure >> self._places[earlier] & 1:
                yield OrderGap(name, earlier, through)

    def _joined(self, name: str, known: Mapping[str, int]) -> int:
        """Return the bits of all that *name* waits for, and of all that is *known* to come before these."""
        found = 0
        for wait in self._waits[name]:
            found |= known[wait.name] | (1 << self._places[wait.name] if wait.name in self._places else 0)
        return found

    def _latest(self, mask: int) -> Iterator[str]:
        """Yield those of the jobs in *mask* that come before no other of them."""
        while mask:
            name = self._shown[mask.bit_length() - 1]
            yield name
            mask &= ~(self._before[name] | 1 << self._places[name])

    def _is_shown(self, name: str) -> bool:
        return name in self._jobs and not self._jobs[name].is_helper

    def _seen(self, name: str, sure: Mapping[str, int]) -> tuple[dict[str, _Seen], int]:
        """Return the jobs that *name* waits for, helpers looked through, and the bits of helpers that are *sure*."""
        found: dict[str, _Seen] = {}
        known = 0
        passed: dict[str, tuple[str, str]] = {}
        # Each wait, and by way of which helper that may go missing; the second is for parts of a child pipeline.
        left = [(wait, "", "") for wait in reversed(self._waits[name])]
        while left:
            wait, through, of_parts = left.pop()
            is_firm = wait.is_firm or self._has_rules_of(wait.name, name)
            is_sure = is_firm and not through
            through = of_parts if wait.is_part else through
            if self._is_shown(wait.name):
                found[wait.name] = _Seen(is_sure, through).better(found.get(wait.name))
                continue
            if is_sure and wait.name in sure:
                known |= sure[wait.name]
                continue
            state = through if is_firm or through else wait.name, through
            if wait.name not in passed or bool(state[0]) < bool(passed[wait.name][0]):
                passed[wait.name] = state
                left += [(one, *state) for one in reversed(self._waits[wait.name])]
        return found, known

    def _has_rules_of(self, name: str, other: str) -> bool:
        """Return whether *name* is there wherever *other* is, as the same rules say of both."""
        return name in self._jobs and other in self._jobs and self._jobs[name].rules == self._jobs[other].rules


def _of_needs(job: JobInFile, found: Mapping[str, JobInFile]) -> list[_Wait]:
    return [
        _Wait(need.job, is_firm=not need.is_optional or not found[need.job].rules)
        for need in job.needs or ()
        if need.job in found
    ]


def _of_stages(job: JobInFile, found: Mapping[str, JobInFile]) -> list[_Wait]:
    earlier = (other for other in found.values() if other.stage < job.stage and other.is_awaited)
    return [_Wait(other.name, is_firm=not other.rules) for other in earlier]
