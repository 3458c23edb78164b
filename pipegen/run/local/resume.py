"""Resuming an earlier run: which run, and which stages are not repeated."""

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
    """The folder of the run to resume, or None, the outcomes that remain valid, and *notes* about damage."""

    folder: RunFolder | None = None
    ended: Mapping[TaskId, Outcome] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def plan_digest(selected: Sequence[SelectedPipeline], prepared: Prepared, request: RunRequest) -> str:
    """Return a digest of the selected pipelines: stages, order, scripts and options, but not files."""
    data = {
        "isolated": request.is_isolated,
        "host": request.is_on_host,
        "pipelines": [
            [
                selection.plan.name,
                [[stage, list(selection.graph.predecessors(stage))] for stage in selection.graph.nodes],
                [_job(prepared, TaskId(selection.plan.name, job.stage)) for job in selection.jobs],
            ]
            for selection in selected
        ],
    }
    return hashlib.sha256(json.dumps(data).encode(errors="surrogateescape")).hexdigest()


def last_run(runs_folder: Path, plan: str, selected: Sequence[SelectedPipeline], *, is_isolated: bool) -> EarlierRun:
    """Return the last run in *runs_folder* with the digest *plan*, without outcomes that are damaged."""
    notes: list[str] = []
    is_latest = True
    for folder in earlier(runs_folder):
        try:
            content = read(folder.journal)
        except FileNotFoundError:  # killed before its start
            continue
        except (OSError, UnreadableJournalError) as error:
            notes.append(f"{folder.journal} cannot be read: {error}")
            continue
        if content.plan != plan:
            is_latest = False
        else:
            if not is_latest:
                notes.append(f"resuming {folder.path.name}: later runs have other stages, scripts, inputs or options")
            for path in (folder.work, folder.left):
                unlock(path)
            if content.lost:
                notes.append(
                    f"{folder.journal} is damaged: {content.lost} lines are lost, so their stages are repeated"
                )
            ended = dict(
                _without_shared_resources(finished(content, [selection.plan for selection in selected]), selected)
            )
            # No stage reads the files of a run that had ended; its end removes them.
            is_complete = all(
                TaskId(selection.plan.name, job.stage) in ended for selection in selected for job in selection.jobs
            )
            damaged = tuple(_damaged(folder, ended, selected)) if is_isolated and not is_complete else ()
            notes += [
                f"the files of {task.stage} in {folder.left} are damaged or contained a secret: the stage is repeated"
                for task in damaged
            ]
            intact = {task: outcome for task, outcome in ended.items() if task not in damaged}
            return EarlierRun(
                folder, dict(_with_predecessors(intact, selected)) if content.lost or damaged else ended, tuple(notes)
            )
    return EarlierRun(notes=tuple(notes))


def _without_shared_resources(
    ended: Mapping[TaskId, Outcome], selected: Sequence[SelectedPipeline]
) -> Iterator[tuple[TaskId, Outcome]]:
    """Yield those that *ended*, except stages with shared images, containers or releases, which are gone."""
    sharing = {
        TaskId(selection.plan.name, job.stage)
        for selection in selected
        for job in selection.jobs
        if job.shared.needs_daemon or job.shared.release
    }
    return ((task, outcome) for task, outcome in ended.items() if task not in sharing)


def _with_predecessors(
    ended: Mapping[TaskId, Outcome], selected: Sequence[SelectedPipeline]
) -> Iterator[tuple[TaskId, Outcome]]:
    """Yield those that *ended* and whose predecessors are all valid: repeated stages may have other results."""
    for selection in selected:
        valid: set[str] = set()
        for stage in (*selection.graph.topological(), *(job.stage for job in selection.jobs if job.is_final)):
            outcome = ended.get(TaskId(selection.plan.name, stage))
            predecessors = selection.graph.predecessors(stage) if stage in selection.graph.nodes else ()
            if outcome is not None and valid.issuperset(predecessors):
                valid.add(stage)
                yield TaskId(selection.plan.name, stage), outcome


def _damaged(
    folder: RunFolder, ended: Mapping[TaskId, Outcome], selected: Sequence[SelectedPipeline]
) -> Iterator[TaskId]:
    """Yield those of *ended* whose files are missing or changed; none in a shared workspace."""
    for selection in selected:
        for job in selection.jobs if selection.plan.workspace is not Workspace.SHARED else ():
            outcome = ended.get(TaskId(selection.plan.name, job.stage))
            if outcome is not None and outcome.result is not AttemptResult.FAILED and not has_left(folder, job):
                yield TaskId(selection.plan.name, job.stage)


def _job(prepared: Prepared, task: TaskId) -> list[object]:
    script = prepared.work[task].script
    return [task.stage, script.main, script.after, script.is_bash]
