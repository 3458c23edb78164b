"""What waits for what in the jobs of a file and of its child pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab_file import Job, WrongFileError

# Before the name of a job that starts child pipelines: the moment when it does.
_START = "\0start of "


@dataclass(frozen=True, slots=True)
class Gap:
    """Where rules drop *through*, *later* does not wait for *earlier*, which it waits for by way of it otherwise."""

    later: str
    earlier: str
    through: str


@dataclass(frozen=True, slots=True)
class _Wait:
    """A moment that comes before another.

    It *is_firm* when it does not go missing without the other, and *is_part* when it is that of a job in the child
    pipeline that the other one starts.
    """

    name: str
    is_firm: bool
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    """A job that another waits for: always (*is_firm*), or where it is there, or by way of the helper *through*."""

    is_firm: bool
    through: str

    def better(self, other: _Seen | None) -> _Seen:
        """Return the one of the two that says more."""
        if other is None or self.is_firm or (other.through and not other.is_firm):
            return self
        return other


class Waits:
    """The jobs of all files, and which waits for which."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._waits: dict[str, list[_Wait]] = {}

    def add(self, found: Mapping[str, Job], start: Job | None = None) -> None:
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

    def graph(self) -> ExecutionGraph:
        """Return the order of the jobs, where all of them run; helpers are looked through."""
        shown = [name for name in self._jobs if self._is_shown(name)]
        arcs = ((wait, name) for name in shown for wait in self._seen(name))
        return ExecutionGraph([*((name,) for name in shown), *arcs])

    def gaps(self, graph: ExecutionGraph) -> Iterator[Gap]:
        """Yield where the order in *graph*, which is theirs, hangs on a job that rules may drop."""
        places = {name: place for place, name in enumerate(graph.nodes)}
        sure: dict[str, int] = {}
        for name in graph.topological():
            seen = self._seen(name)
            sure[name] = reduce(or_, (1 << places[one] for one, how in seen.items() if not how.through), 0)
            sure[name] |= reduce(or_, (sure[one] for one, how in seen.items() if how.is_firm), 0)
            hanging = [(one, how.through) for one, how in seen.items() if how.through]
            dropped = (one for one, how in seen.items() if not how.is_firm)
            hanging += ((earlier, one) for one in dropped for earlier in self._seen(one))
            for earlier, through in hanging:
                if not sure[name] >> places[earlier] & 1:
                    yield Gap(name, earlier, through)

    def _is_shown(self, name: str) -> bool:
        return name in self._jobs and not self._jobs[name].is_helper

    def _seen(self, name: str) -> dict[str, _Seen]:
        """Return the jobs that *name* waits for, helpers looked through."""
        found: dict[str, _Seen] = {}
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
            state = through if is_firm or through else wait.name, through
            if wait.name not in passed or bool(state[0]) < bool(passed[wait.name][0]):
                passed[wait.name] = state
                left += [(one, *state) for one in reversed(self._waits[wait.name])]
        return found

    def _has_rules_of(self, name: str, other: str) -> bool:
        """Return whether *name* is there wherever *other* is, as the same rules say of both."""
        return name in self._jobs and self._jobs[name].rules == self._jobs[other].rules


def _of_needs(job: Job, found: Mapping[str, Job]) -> list[_Wait]:
    return [
        _Wait(need.job, is_firm=not need.is_optional or not found[need.job].rules)
        for need in job.needs or ()
        if need.job in found
    ]


def _of_stages(job: Job, found: Mapping[str, Job]) -> list[_Wait]:
    earlier = (other for other in found.values() if other.stage < job.stage and other.is_awaited)
    return [_Wait(other.name, is_firm=not other.rules) for other in earlier]
