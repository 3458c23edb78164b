"""The results of the stages of a run, and matching results of earlier runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import IO, TypeAlias

from pipegen.plan.model import Job, Plan
from pipegen.run.files import artifacts, no_follow
from pipegen.run.files.kept_file import KeptFile, describe, kept_file
from pipegen.run.local.cache.digest import Definition, FileState
from pipegen.run.local.cache.index import DamagedIndexError
from pipegen.run.local.cache.lookup import CacheInput, Lookup
from pipegen.run.local.cache.record import CacheRecord
from pipegen.run.local.cache.store import DamagedError, Store, StoredRecord
from pipegen.run.local.redaction.redactor import Redactor
from pipegen.run.local.selection import read_stages
from pipegen.run.local.workspace import Trees
from pipegen.run.model import Outcome, Task, TaskId
from pipegen.structs import Struct

# The digest of a stage and the contents of all its inputs: equal for stages with equal results.
Identity: TypeAlias = tuple[str, ...]
# The selector of the files of a result; no output has this name.
_FILES = "/"


class Question(Struct):
    """The lookup of the result of a task; *read* describes its inputs, and *files* the files before it runs."""

    lookup: Lookup
    read: tuple[_Part, ...]
    files: tuple[FileState, ...]


class _Part(Struct):
    """An input of a task: an output or the files of an earlier stage."""

    plan: Plan
    job: Job
    selector: str

    @property
    def task(self) -> TaskId:
        return TaskId(self.plan.name, self.job.stage)


class _Known(Struct):
    """A result of this run: its keys, none if only its content is available, and its record."""

    keys: frozenset[int]
    record: CacheRecord


class Results:
    """Looks up results in *store*, and stores new ones.

    *definition* returns the definition of a task, None if it must run; *trees* hold the files of stages. Results with
    secrets of *redactor* are not stored, and *warn* is called.
    """

    def __init__(
        self,
        store: Store,
        trees: Trees,
        definition: Callable[[Task], Definition | None],
        *,
        redactor: Redactor,
        warn: Callable[[str], None],
    ) -> None:
        self._store, self._trees, self._definition = store, trees, definition
        self._redactor, self._warn = redactor, warn
        self._known: dict[TaskId, _Known] = {}
        # The keys of stages without results, by the definitions of the stages and their predecessors.
        self._defined: dict[TaskId, frozenset[int]] = {}
        # Intact results of stages that need not run; those in `_waiting` are restored when a stage reads them.
        self._stored: dict[TaskId, StoredRecord] = {}
        self._waiting: dict[TaskId, tuple[Job, StoredRecord]] = {}
        # The state of the inputs of a stage at the last lookup without a result.
        self._asked: dict[TaskId, object] = {}
        self._jobs: dict[str, dict[str, Job]] = {}
        self._used: list[int] = []

    def question(self, task: Task) -> Question | None:
        """Return the lookup of *task*; None if it must run."""
        definition = self._definition(task)
        if definition is None:
            return None
        read = self._read(task, definition)
        inputs = [CacheInput(self._keys(part.task), part.selector) for part in read]
        return Question(Lookup(self._store.keys, definition.digest, inputs), read, definition.files)

    def find(self, question: Question) -> StoredRecord | None:
        """Return a known result by definition, or by the contents of the inputs; None if there is none.

        All inputs must be available.
        """
        lookup = question.lookup
        if not lookup.keys.is_known(lookup.digest):
            return None
        while (stored_record := self._store.find(lookup.matching_keys())) is None:
            files = lookup.wanted()
            if not files:
                return None
            self._load_contents(question, files)
        if any(cache_input.content is not None for cache_input in lookup.inputs):
            self._store.link(lookup, stored_record)
        return stored_record

    def has_result(self, task: Task, inputs: Sequence[TaskId], ended: Collection[TaskId]) -> bool:
        """Return whether *task* has an intact result, even if some of its *inputs* have not *ended*.

        Callers examine the inputs first.
        """
        if task.id in self._known or task.id in self._stored:
            return True
        state = tuple((self._keys(task_id), task_id in ended) for task_id in inputs)
        if not all(map(any, state)) or self._asked.get(task.id) == state:
            return False
        self._asked[task.id] = state
        question = self.question(task)
        if question is None:
            return False
        self._load_contents(question, [index for index, part in enumerate(question.read) if part.task in ended])
        keys = self._defined[task.id] = question.lookup.matching_keys()
        while (stored_record := self._store.find(keys)) is not None:
            if self._store.is_whole(stored_record):
                self._stored[task.id] = stored_record
                return True
            self._store.drop(stored_record)
        return False

    def has_keys(self, task: TaskId) -> bool:
        """Return whether *task* has a key, with or without a result."""
        return bool(self._keys(task))

    def stored(self, task: Task) -> StoredRecord | None:
        """Return the result of *task* that `has_result` loaded."""
        return self._stored.get(task.id)

    def identity(self, question: Question) -> Identity:
        """Return the identity of the question, which is equal for equal stages in all pipelines."""
        inputs = question.lookup.inputs
        self._load_contents(
            question, [index for index, cache_input in enumerate(inputs) if cache_input.content is None]
        )
        return (question.lookup.digest, *(cache_input.content or "" for cache_input in inputs))

    def take(
        self, task: Task, stored_record: StoredRecord, *, is_requested: bool
    ) -> tuple[tuple[str, bytes], ...] | None:
        """Return the outputs of a known result; if it is damaged, remove it and return None.

        A requested result is restored immediately, others when a stage reads them.
        """
        try:
            outputs = tuple((name, self._store.value(digest)) for name, digest in stored_record.record.outputs)
            if is_requested:
                self._restore(task.job, stored_record)
        except DamagedError:
            self._lose(task, stored_record)
            return None
        if not is_requested:
            if not self._store.is_whole(stored_record):
                self._lose(task, stored_record)
                return None
            self._waiting[task.id] = task.job, stored_record
        self._known[task.id] = _Known(frozenset({stored_record.key}), stored_record.record)
        self._used.append(stored_record.key)
        return outputs

    def provide(self, task: Task) -> None:
        """Restore the inputs of *task*; raise `DamagedError` if they are damaged."""
        for stage in sorted(read_stages(task.job)) if self._waiting else ():
            waiting = self._waiting.pop(TaskId(task.plan.name, stage), None)
            if waiting is not None:
                self._restore(*waiting)

    def keep(self, task: Task, question: Question, outcome: Outcome) -> None:
        """Store the result of *task*, unless a file that it depends on has changed since *question*."""
        folder = self._trees.home(task.job)
        problems = [f'"{name}" changed while the stage ran' for name in self._changed(task, question)[:1]]
        entries = artifacts.storable(str(folder), self._trees.left(task.job), problems.append)
        if problems:
            self._warn(f"the result of {task.id.stage} is not stored for later runs: {problems[0]}")
            return
        files = [
            (kept_file(name, entry), partial(no_follow.open_file, folder, name)) for name, entry in entries.items()
        ]
        if self._has_secret(outcome.outputs, files):
            self._warn(f"the result of {task.id.stage} contains a secret: it is not stored for later runs")
            return
        stored_record = self._store.save(question.lookup.save, outcome.outputs, files)
        self._known[task.id] = _Known(frozenset({stored_record.key}), stored_record.record)

    def renew(self, error: DamagedIndexError) -> None:
        """Drop all stored results, which are damaged."""
        self._used.clear()
        self._defined.clear()
        self._asked.clear()
        self._store.renew(error)

    def record_use(self) -> None:
        """Record which results were used."""
        self._store.touch(self._used)

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    def _changed(self, task: Task, question: Question) -> list[str]:
        """Return the files of *question* that differ now. Files that the stage added do not count."""
        definition = self._definition(task) if question.files else None
        current = set(definition.files) if definition is not None else set()
        return [state[0] for state in question.files if state not in current]

    def _restore(self, job: Job, stored_record: StoredRecord) -> None:
        self._store.restore(stored_record, self._trees.home(job))
        self._trees.bind(job, [(name, self._store.value(digest)) for name, digest in stored_record.record.outputs])
        self._trees.show(job)

    def _lose(self, task: Task, stored_record: StoredRecord) -> None:
        self._stored.pop(task.id, None)
        self._store.drop(stored_record)

    def _has_secret(
        self, outputs: Iterable[tuple[str, bytes]], files: Iterable[tuple[KeptFile, Callable[[], IO[bytes]]]]
    ) -> bool:
        return bool(self._redactor) and (
            any(self._redactor.hides(value) for _, value in outputs)
            or any(self._redactor.hides_in(opened) for file, opened in files if file.link is None)
        )

    def _load_contents(self, question: Question, indexes: Iterable[int]) -> None:
        for index in indexes:
            part = question.read[index]
            record = self._record(part)
            content = record.tree if part.selector == _FILES else record.value(part.selector)
            question.lookup.inputs[index].content = content

    def _keys(self, task: TaskId) -> frozenset[int]:
        known = self._known.get(task)
        return known.keys if known is not None else self._defined.get(task, frozenset())

    def _record(self, part: _Part) -> CacheRecord:
        """Return the record of a stage that has ended."""
        if part.task not in self._known:
            job = part.job
            values = [(name, self._trees.value(job, name)) for name in job.outputs]
            outputs = [(name, hashlib.sha256(value).hexdigest()) for name, value in values if value is not None]
            folder = self._trees.home(job)
            names = artifacts.storable(str(folder), self._trees.left(job), lambda _: None)
            files = (describe(folder, name) for name in names)
            self._known[part.task] = _Known(frozenset(), CacheRecord(tuple(outputs), tuple(files)))
        return self._known[part.task].record

    def _read(self, task: Task, definition: Definition) -> tuple[_Part, ...]:
        """Return the inputs of *task*: values in the order of first use, then files."""
        plan = task.plan
        if plan.name not in self._jobs:
            self._jobs[plan.name] = {job.stage: job for job in plan.jobs}
        jobs = self._jobs[plan.name]
        return (
            *(_Part(plan, jobs[output.stage], output.name) for output in definition.inputs),
            *(_Part(plan, jobs[stage], _FILES) for stage in task.job.files if jobs[stage].artifacts),
        )
