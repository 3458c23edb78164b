"""What a run knows of the results of its stages, and which of them earlier runs have made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

from pipegen.plan.model import Job, Plan
from pipegen.run.cache.index import DamagedIndexError
from pipegen.run.cache.lookup import Input, Lookup
from pipegen.run.cache.record import KeptFile, Record, described
from pipegen.run.cache.store import DamagedError, Held, Store
from pipegen.run.here.masking import Masks
from pipegen.run.here.workspace import Trees
from pipegen.run.model import Outcome, Task, TaskId
from pipegen.shell.expanded import values_of_names
from pipegen.structs import Struct

Identity: TypeAlias = tuple[object, ...]


class Question(Struct):
    """Whether the result of a task is known; *read* says what each input is, and which part of it is read."""

    lookup: Lookup
    read: tuple[_Part, ...]


class _Part(Struct):
    """What a task reads of a stage before it: some outputs, in the order of their names, and perhaps the files."""

    plan: Plan
    job: Job
    outputs: tuple[str, ...]
    has_files: bool

    @property
    def selector(self) -> str:
        return " ".join((*self.outputs, *(("/",) if self.has_files else ())))


class _Known(Struct):
    """A result of this run: what it is known by, nothing where that is its content alone, and what it holds."""

    keys: frozenset[int]
    record: Record


class Results:
    """Looks results up in *store* and keeps them there.

    *digest* says what a task does, None for one that has to be done each time; *trees* have what stages leave. What
    *masks* would hide is not kept, and *complain* is told.
    """

    def __init__(
        self,
        store: Store,
        trees: Trees,
        digest: Callable[[Task], str | None],
        *,
        masks: Masks,
        complain: Callable[[str], None],
    ) -> None:
        self._store, self._trees, self.digest = store, trees, digest
        self._masks, self._complain = masks, complain
        self._known: dict[TaskId, _Known] = {}
        # The jobs of each pipeline by stage, with their places.
        self._jobs: dict[str, dict[str, tuple[int, Job]]] = {}
        self._used: list[int] = []

    def question(self, task: Task) -> Question | None:
        """Return what to ask about *task*, whose inputs are there; None where its result has to be made."""
        digest = self.digest(task)
        if digest is None:
            return None
        read = self._read(task)
        inputs = [Input(self._keys(part), part.selector, has_content=True) for part in read]
        return Question(Lookup(self._store.keys, digest, inputs), read)

    def find(self, question: Question) -> Held | None:
        """Return a result that is known: by what has been done, and where that is not enough by what inputs hold."""
        lookup = question.lookup
        while (held := self._store.find(lookup.found())) is None:
            wanted = lookup.wanted()
            if not wanted:
                return None
            self._look_into(question, wanted)
        if any(one.content is not None for one in lookup.inputs):
            self._store.link(lookup, held)
        return held

    def identity(self, question: Question) -> Identity:
        """Return what the question has in common with equal ones, in whichever pipeline they are asked."""
        inputs = question.lookup.inputs
        unknown = [place for place, one in enumerate(inputs) if not one.keys and one.content is None]
        self._look_into(question, unknown)
        return (question.lookup.digest, *((one.keys or one.content, one.selector) for one in inputs))

    def take(self, task: Task, held: Held) -> tuple[tuple[str, bytes], ...] | None:
        """Put a known result where others look for it, and return its values; None, and forget it, where it is lost."""
        try:
            outputs = tuple((name, self._store.value(digest)) for name, digest in held.record.outputs)
            self._store.restore(held, self._trees.home(task.job))
        except DamagedError:
            self._store.drop(held)
            return None
        self._trees.bind(task.job, outputs)
        self._trees.show(task.job)
        self._known[task.id] = _Known(frozenset({held.key}), held.record)
        self._used.append(held.id)
        return outputs

    def keep(self, task: Task, question: Question, outcome: Outcome) -> None:
        """Keep what *task* has come to."""
        folder = self._trees.home(task.job)
        files = [(described(folder / name, name), folder / name) for name in self._trees.left(task.job)]
        if self._has_secret(outcome.outputs, files):
            self._complain(f"what {task.id.stage} leaves holds a secret: it is not kept for later runs")
            return
        held = self._store.save(question.lookup.save, outcome.outputs, files)
        self._known[task.id] = _Known(frozenset({held.key}), held.record)

    def _has_secret(self, outputs: Iterable[tuple[str, bytes]], files: Iterable[tuple[KeptFile, Path]]) -> bool:
        return bool(self._masks) and (
            any(self._masks.hides(value) for _, value in outputs)
            or any(self._masks.hides_in(path) for file, path in files if file.link is None)
        )

    def renew(self, why: DamagedIndexError) -> None:
        """Drop all that is kept, which is damaged, and begin anew."""
        self._used.clear()
        self._store.renew(why)

    def close(self) -> None:
        """Note what was of use."""
        self._store.touch(self._used)
        self._store.close()

    def _look_into(self, question: Question, places: Iterable[int]) -> None:
        for place in places:
            part = question.read[place]
            record = self._record(part.plan, part.job)
            question.lookup.inputs[place].content = record.content(part.outputs, has_files=part.has_files)

    def _keys(self, part: _Part) -> frozenset[int]:
        known = self._known.get(TaskId(part.plan.name, part.job.stage))
        return known.keys if known is not None else frozenset()

    def _record(self, plan: Plan, job: Job) -> Record:
        """Return what a stage that has ended has left."""
        task = TaskId(plan.name, job.stage)
        if task not in self._known:
            places = [(name, self._trees.value(job, name)) for name in job.outputs]
            outputs = [
                (name, hashlib.sha256(place.read_bytes()).hexdigest()) for name, place in places if place.exists()
            ]
            folder = self._trees.home(job)
            files = (described(folder / name, name) for name in self._trees.left(job))
            self._known[task] = _Known(frozenset(), Record(tuple(outputs), tuple(files)))
        return self._known[task].record

    def _read(self, task: Task) -> tuple[_Part, ...]:
        """Return what *task* reads of other stages, in the order of the pipeline."""
        plan, job = task.plan, task.job
        if plan.name not in self._jobs:
            self._jobs[plan.name] = {one.stage: (place, one) for place, one in enumerate(plan.jobs)}
        outputs: dict[str, set[str]] = {}
        for output in (*job.inputs, *values_of_names(job)):
            outputs.setdefault(output.stage, set()).add(output.name)
        files = frozenset(job.files)
        producers = sorted((self._jobs[plan.name][stage] for stage in outputs.keys() | files), key=itemgetter(0))
        return tuple(
            _Part(plan, one, tuple(sorted(outputs.get(one.stage, ()))), one.stage in files) for _, one in producers
        )
