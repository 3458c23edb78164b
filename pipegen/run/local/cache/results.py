"""What a run knows of the results of its stages, and which of them earlier runs have made."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import IO, TypeAlias

from pipegen.plan.model import Job, Plan
from pipegen.run.files import artifacts, no_follow
from pipegen.run.files.kept_file import KeptFile, described
from pipegen.run.local.cache.digest import Definition
from pipegen.run.local.cache.index import DamagedIndexError
from pipegen.run.local.cache.lookup import CacheInput, Lookup
from pipegen.run.local.cache.record import CacheRecord
from pipegen.run.local.cache.store import DamagedError, Store, StoredRecord
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.selection import read_stages
from pipegen.run.local.workspace import Trees
from pipegen.run.model import Outcome, Task, TaskId
from pipegen.structs import Struct

# What the digest of a stage and the contents of all its inputs come to: equal for stages that do the same.
Identity: TypeAlias = tuple[str, ...]
# The part of a result that is its files; no output has that name.
_FILES = "/"


class Question(Struct):
    """Whether the result of a task is known; *read* says what each input is."""

    lookup: Lookup
    read: tuple[_Part, ...]


class _Part(Struct):
    """What a task reads of a stage before it: an output, or the files."""

    plan: Plan
    job: Job
    selector: str

    @property
    def task(self) -> TaskId:
        return TaskId(self.plan.name, self.job.stage)


class _Known(Struct):
    """A result of this run: what it is known by, nothing where that is its content alone, and what it holds."""

    keys: frozenset[int]
    record: CacheRecord


class Results:
    """Looks results up in *store* and keeps them there.

    *definition* says what a task does, None for one that has to be done each time; *trees* have what stages leave. What
    *redactor* would hide is not kept, and *complain* is told.
    """

    def __init__(
        self,
        store: Store,
        trees: Trees,
        definition: Callable[[Task], Definition | None],
        *,
        redactor: Redactor,
        complain: Callable[[str], None],
    ) -> None:
        self._store, self._trees, self._definition = store, trees, definition
        self._redactor, self._complain = redactor, complain
        self._known: dict[TaskId, _Known] = {}
        # The keys of stages that have not come to anything yet, by what they and those before them do.
        self._defined: dict[TaskId, frozenset[int]] = {}
        # Results that are whole, of stages that nothing has to run for; those in `_waiting` are put back when read.
        self._found: dict[TaskId, StoredRecord] = {}
        self._waiting: dict[TaskId, tuple[Job, StoredRecord]] = {}
        # What was known of the inputs of a stage when it was not found last.
        self._asked: dict[TaskId, object] = {}
        self._jobs: dict[str, dict[str, Job]] = {}
        self._used: list[int] = []

    def question(self, task: Task) -> Question | None:
        """Return what to ask about *task*; None where its result has to be made."""
        definition = self._definition(task)
        if definition is None:
            return None
        read = self._read(task, definition)
        inputs = [CacheInput(self._keys(part.task), part.selector, has_content=True) for part in read]
        return Question(Lookup(self._store.keys, definition.digest, inputs), read)

    def find(self, question: Question) -> StoredRecord | None:
        """Return a result that is known: by what has been done, and where that is not enough by what inputs hold.

        All inputs are there.
        """
        lookup = question.lookup
        while (held := self._store.find(lookup.found())) is None:
            wanted = lookup.wanted()
            if not wanted:
                return None
            self._look_into(question, wanted)
        if any(one.content is not None for one in lookup.inputs):
            self._store.link(lookup, held)
        return held

    def is_found(self, task: Task, inputs: Sequence[TaskId], over: Collection[TaskId]) -> bool:
        """Return whether the result of *task* is known, and whole, although perhaps not all its *inputs* are *over*.

        Whether they are found has been asked before.
        """
        if task.id in self._known or task.id in self._found:
            return True
        state = tuple((self._keys(one), one in over) for one in inputs)
        if not all(map(any, state)) or self._asked.get(task.id) == state:
            return False
        self._asked[task.id] = state
        question = self.question(task)
        if question is None:
            return False
        self._look_into(question, [at for at, part in enumerate(question.read) if part.task in over])
        keys = self._defined[task.id] = question.lookup.found()
        while (held := self._store.find(keys)) is not None:
            if self._store.is_whole(held):
                self._found[task.id] = held
                return True
            self._store.drop(held)
        return False

    def found(self, task: Task) -> StoredRecord | None:
        """Return the result that *task* is known to have since `is_found` was asked."""
        return self._found.get(task.id)

    def identity(self, question: Question) -> Identity:
        """Return what the question has in common with equal ones, in whichever pipeline they are asked."""
        inputs = question.lookup.inputs
        self._look_into(question, [at for at, one in enumerate(inputs) if one.content is None])
        return (question.lookup.digest, *(one.content or "" for one in inputs))

    def digest(self, task: Task) -> str | None:
        """Return the digest of what *task* does; None where its result has to be made."""
        definition = self._definition(task)
        return definition.digest if definition is not None else None

    def take(self, task: Task, held: StoredRecord, *, is_asked_for: bool) -> tuple[tuple[str, bytes], ...] | None:
        """Return the values of a known result; None, and forget it, where it is lost.

        One that *is_asked_for* is put where others look for it; another one waits until a stage reads it.
        """
        try:
            outputs = tuple((name, self._store.value(digest)) for name, digest in held.record.outputs)
            if is_asked_for:
                self._restore(task.job, held)
        except DamagedError:
            self._lose(task, held)
            return None
        if not is_asked_for:
            if not self._store.is_whole(held):
                self._lose(task, held)
                return None
            self._waiting[task.id] = task.job, held
        self._known[task.id] = _Known(frozenset({held.key}), held.record)
        self._used.append(held.id)
        return outputs

    def provide(self, task: Task) -> None:
        """Put what *task* reads where it looks for it; raise `DamagedError` where that has been lost."""
        for stage in sorted(read_stages(task.job)) if self._waiting else ():
            waiting = self._waiting.pop(TaskId(task.plan.name, stage), None)
            if waiting is not None:
                self._restore(*waiting)

    def keep(self, task: Task, question: Question, outcome: Outcome) -> None:
        """Keep what *task* has come to."""
        folder = self._trees.home(task.job)
        odd: list[str] = []
        names = artifacts.sound(str(folder), self._trees.left(task.job), odd.append)
        if odd:
            self._complain(f"what {task.id.stage} leaves is not kept for later runs: {odd[0]}")
            return
        files = [(described(folder, name), partial(no_follow.opened, folder, name)) for name in names]
        if self._has_secret(outcome.outputs, files):
            self._complain(f"what {task.id.stage} leaves holds a secret: it is not kept for later runs")
            return
        held = self._store.save(question.lookup.save, outcome.outputs, files)
        self._known[task.id] = _Known(frozenset({held.key}), held.record)

    def renew(self, why: DamagedIndexError) -> None:
        """Drop all that is kept, which is damaged, and begin anew."""
        self._used.clear()
        self._defined.clear()
        self._asked.clear()
        self._store.renew(why)

    def close(self) -> None:
        """Note what was of use."""
        self._store.touch(self._used)
        self._store.close()

    def _restore(self, job: Job, held: StoredRecord) -> None:
        self._store.restore(held, self._trees.home(job))
        self._trees.bind(job, [(name, self._store.value(digest)) for name, digest in held.record.outputs])
        self._trees.show(job)

    def _lose(self, task: Task, held: StoredRecord) -> None:
        self._found.pop(task.id, None)
        self._store.drop(held)

    def _has_secret(
        self, outputs: Iterable[tuple[str, bytes]], files: Iterable[tuple[KeptFile, Callable[[], IO[bytes]]]]
    ) -> bool:
        return bool(self._redactor) and (
            any(self._redactor.hides(value) for _, value in outputs)
            or any(self._redactor.hides_in(opened) for file, opened in files if file.link is None)
        )

    def _look_into(self, question: Question, places: Iterable[int]) -> None:
        for place in places:
            part = question.read[place]
            record = self._record(part)
            content = record.tree() if part.selector == _FILES else record.value(part.selector)
            question.lookup.inputs[place].content = content

    def _keys(self, task: TaskId) -> frozenset[int]:
        known = self._known.get(task)
        return known.keys if known is not None else self._defined.get(task, frozenset())

    def _record(self, part: _Part) -> CacheRecord:
        """Return what a stage that has ended has left."""
        if part.task not in self._known:
            job = part.job
            values = [(name, self._trees.value(job, name)) for name in job.outputs]
            outputs = [(name, hashlib.sha256(value).hexdigest()) for name, value in values if value is not None]
            folder = self._trees.home(job)
            names = artifacts.sound(str(folder), self._trees.left(job), lambda _: None)
            files = (described(folder, name) for name in names)
            self._known[part.task] = _Known(frozenset(), CacheRecord(tuple(outputs), tuple(files)))
        return self._known[part.task].record

    def _read(self, task: Task, definition: Definition) -> tuple[_Part, ...]:
        """Return what *task* reads of other stages: values in the order of first use, then files."""
        plan = task.plan
        if plan.name not in self._jobs:
            self._jobs[plan.name] = {one.stage: one for one in plan.jobs}
        jobs = self._jobs[plan.name]
        return (
            *(_Part(plan, jobs[output.stage], output.name) for output in definition.inputs),
            *(_Part(plan, jobs[stage], _FILES) for stage in task.job.files if jobs[stage].artifacts),
        )
