"""Going on with an earlier run: which one, and what of it need not be repeated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipegen.run.here.folder import RunFolder, earlier
from pipegen.run.here.prepare import Prepared, Wish
from pipegen.run.here.selection import Chosen
from pipegen.run.journal import Story, UnreadableJournalError, finished, read
from pipegen.run.model import Outcome, TaskId
from pipegen.structs import Struct, field


class Earlier(Struct):
    """A run to go on with, None for none, and what of it has come to a good end."""

    folder: RunFolder | None = None
    ended: Mapping[TaskId, Outcome] = field(default_factory=dict)


def plan_digest(chosen: Sequence[Chosen], prepared: Prepared, wish: Wish) -> str:
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


def last_run(around: Path, plan: str, chosen: Sequence[Chosen]) -> Earlier:
    """Return the last run in *around* of the *plan* with that digest."""
    for folder in earlier(around):
        story = _story(folder)
        if story is not None and story.plan == plan:
            # Images, containers and releases are gone that stages keep for each other.
            bound = {
                TaskId(one.plan.name, job.stage)
                for one in chosen
                for job in one.jobs
                if job.shared.needs_daemon or job.shared.release
            }
            ended = finished(story, [one.plan for one in chosen])
            return Earlier(folder, {task: outcome for task, outcome in ended.items() if task not in bound})
    return Earlier()


def _story(folder: RunFolder) -> Story | None:
    try:
        return read(folder.journal)
    except (OSError, UnreadableJournalError):
        return None


def _job(prepared: Prepared, task: TaskId) -> list[object]:
    script = prepared.work[task].script
    return [task.stage, script.main, script.after, script.is_bash]
