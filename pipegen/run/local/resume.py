"""Going on with an earlier run: which one, and what of it need not be repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pipegen.plan.model import Workspace
from pipegen.run.files.removal import unlock
from pipegen.run.files.run_folder import RunFolder, earlier
from pipegen.run.journal import UnreadableJournalError, finished, read
from pipegen.run.local.prepare import Prepared, RunRequest
from pipegen.run.local.selection import SelectedPipeline
from pipegen.run.local.workspace import has_left
from pipegen.run.model import AttemptResult, Outcome, TaskId
from pipegen.structs import Struct, field


class EarlierRun(Struct):
    """A run to go on with, None for none, and what of it has come to a good end; *notes* tell what is lost of it."""

    folder: RunFolder | None = None
    ended: Mapping[TaskId, Outcome] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def plan_digest(chosen: Sequence[SelectedPipeline], prepared: Prepared, wish: RunRequest) -> str:
    """Return a digest of what is run: stages, their order, their scripts and how they run; not of the files there."""
    told = {
        "isolated": wish.is_isolated,
        "host": wish.is_on_host,
        "pipelines": [
            [
                one.plan.name,
                [[stage, list(one.graph.predecessors(stage))] for stage in one.graph.nodes],
                [_job(prepared, TaskId(one.plan.name, job.stage)) for job in one.jobs],
            ]
            for one in chosen
        ],
    }
    return hashlib.sha256(json.dumps(told).encode(errors="surrogateescape")).hexdigest()


def last_run(around: Path, plan: str, chosen: Sequence[SelectedPipeline], *, is_isolated: bool) -> EarlierRun:
    """Return the last run in *around* of the *plan* with that digest; what is damaged of it is to be repeated."""
    notes: list[str] = []
    for folder in earlier(around):
        try:
            story = read(folder.journal)
        except FileNotFoundError:  # killed before it began
            continue
        except (OSError, UnreadableJournalError) as error:
            notes.append(f"{folder.journal} cannot be read: {error}")
            continue
        if story.plan == plan:
            for place in (folder.work, folder.left):
                unlock(place)
            if story.lost:
                notes.append(f"{folder.journal} is damaged: what {story.lost} of its lines told is repeated")
            ended = dict(_unbound(finished(story, [one.plan for one in chosen]), chosen))
            spoilt = tuple(_spoilt(folder, ended, chosen)) if is_isolated else ()
            notes += [
                f"what {task.stage} left in {folder.left} is damaged, or held a secret: it is repeated"
                for task in spoilt
            ]
            whole = {task: outcome for task, outcome in ended.items() if task not in spoilt}
            return EarlierRun(folder, dict(_followed(whole, chosen)) if story.lost or spoilt else ended, tuple(notes))
    return EarlierRun(notes=tuple(notes))


def _unbound(ended: Mapping[TaskId, Outcome], chosen: Sequence[SelectedPipeline]) -> Iterator[tuple[TaskId, Outcome]]:
    """Yield those that *ended*, but what kept images, containers and releases for others: these are gone."""
    bound = {
        TaskId(one.plan.name, job.stage)
        for one in chosen
        for job in one.jobs
        if job.shared.needs_daemon or job.shared.release
    }
    return ((task, outcome) for task, outcome in ended.items() if task not in bound)


def _followed(ended: Mapping[TaskId, Outcome], chosen: Sequence[SelectedPipeline]) -> Iterator[tuple[TaskId, Outcome]]:
    """Yield those that *ended* after all that comes before them had: what is made again may be another one."""
    for one in chosen:
        kept: set[str] = set()
        for stage in (*one.graph.topological(), *(job.stage for job in one.jobs if job.is_final)):
            outcome = ended.get(TaskId(one.plan.name, stage))
            before = one.graph.predecessors(stage) if stage in one.graph.nodes else ()
            if outcome is not None and kept.issuperset(before):
                kept.add(stage)
                yield TaskId(one.plan.name, stage), outcome


def _spoilt(folder: RunFolder, ended: Mapping[TaskId, Outcome], chosen: Sequence[SelectedPipeline]) -> Iterator[TaskId]:
    """Yield those of *ended* whose files are not there as they left them; with one copy for all, none are."""
    for one in chosen:
        for job in one.jobs if one.plan.workspace is not Workspace.SHARED else ():
            outcome = ended.get(TaskId(one.plan.name, job.stage))
            if outcome is not None and outcome.ending is not AttemptResult.FAILED and not has_left(folder, job):
                yield TaskId(one.plan.name, job.stage)


def _job(prepared: Prepared, task: TaskId) -> list[object]:
    script = prepared.work[task].script
    return [task.stage, script.main, script.after, script.is_bash]
