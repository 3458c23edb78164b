"""The jobs of the last stage of which some run after failures, and those that GitLab does not start alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from pipegen.importing.arcs import ALWAYS, FAILED, SUCCESS
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import needs_of, whole_name
from pipegen.importing.gitlab.reading.tree import text_of, texts_of
from pipegen.importing.gitlab.stages.keys.environments import is_stop
from pipegen.importing.gitlab.stages.raw_keys import RawKeys
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.importing.gitlab.stages.starts import Start
from pipegen.importing.logic import Condition, Conjunction, Disjunction, simplified
from pipegen.readback.gitlab_file import FIRST_STAGE, LAST_STAGE
from pipegen.source.tree import child
from pipegen.structs import replace

# The keys of `finally` by the value of `when` that has no other key in a config.
_STATUSES = {"always": ALWAYS, "on_failure": FAILED}


def final_statuses(
    source: SourcePipeline, starts: Mapping[str, Start | None], misordered: Collection[str]
) -> dict[str, str]:
    """Return the statuses of the pipeline for which the jobs of the last stage run, as `finally` names them.

    There are none if no job runs after failures, or if one of them is not like a stage in `finally`. *starts* are those
    of all jobs that become stages. Stages in `finally` have no order among themselves, wait for all other stages, get
    no files that a stage leaves only when it fails, and no stage waits for them. *misordered* jobs wait for fewer jobs.
    """
    numbers = {source.jobs[name].stage_number for name in starts}
    if len(numbers) <= 1:
        return {}
    needed = {need.name for name in starts for need in needs_of(source.jobs[name], source) or ()}
    last = {name: start for name, start in starts.items() if source.jobs[name].stage_number == max(numbers)}
    of_failures = {name for name in starts if name not in last and _leaves_files_of_failures(source.jobs[name])}
    statuses: dict[str, str] = {}
    for name, start in last.items():
        status = _status(source.jobs[name], start, source)
        is_like_a_stage = status and not of_failures.intersection(_files_of(source.jobs[name], starts))
        if not is_like_a_stage or name in needed or name in misordered:
            return {}
        statuses[name] = status
    return statuses if {*statuses.values()} != {SUCCESS} else {}


def _status(job: SourceJob, start: Start | None, source: SourcePipeline) -> str:
    """Return the status for which *job* starts when all jobs of earlier stages have ended, "" if it does not."""
    if start is None or start.reason or "approve" in start.keys or needs_of(job, source) is not None:
        return ""
    return "" if is_stop(job, source) else _STATUSES.get(str(start.raw.get("when", "")), "" if start.raw else SUCCESS)


def _leaves_files_of_failures(job: SourceJob) -> bool:
    artifacts = job.get("artifacts")
    return text_of(child(artifacts, "when")) == "on_failure"


def _files_of(job: SourceJob, starts: Mapping[str, Start | None]) -> Iterable[str]:
    """Return the jobs whose files *job* without needs gets, of those that become stages."""
    dependencies = job.get("dependencies")
    return starts if dependencies is None else (whole_name(each, starts) for each in texts_of(dependencies))


def final_starts(starts: Mapping[str, Start | None], final: Collection[str]) -> Iterator[tuple[str, Start]]:
    """Yield the *starts* of the *final* jobs without raw keys."""
    for name in final:
        if (start := starts[name]) is not None:
            yield name, replace(start, raw={})


def starts_with_others(
    source: SourcePipeline, starts: Mapping[str, Start | None], alone: Collection[str], known: Condition
) -> Iterator[tuple[str, Start]]:
    """Yield the *starts* of jobs that would be *alone* in some runs, only for runs of others; *known* holds in all.

    GitLab starts no pipeline for jobs of `.pre` and `.post` alone: `lib/gitlab/ci/pipeline/chain/populate.rb`. There
    are none if a config cannot express for which runs others start: see `keep_stages`.
    """
    edges = (FIRST_STAGE, LAST_STAGE)
    others = [start for name, start in starts.items() if source.jobs[name].stage not in edges] if alone else []
    conditions = dict.fromkeys(start.condition for start in others if start is not None and not start.reason)
    if not others or any(start is None or start.reason for start in others):
        return
    for name in starts:
        start = starts[name]
        if name in alone and start is not None and not start.reason:
            whole = Conjunction((start.condition, Disjunction(tuple(conditions))))
            yield name, replace(start, condition=simplified(whole, known))


def keep_stages(drafts: Collection[Draft], source: SourcePipeline, alone: Collection[str], raw_keys: RawKeys) -> None:
    """Keep the stages of the jobs *alone* raw, for which GitLab starts no pipeline.

    No generated job may be between such a job and others of its stage: it has another stage.
    """
    needed = {need.name for draft in drafts for need in needs_of(draft.job, source) or ()}
    for draft in drafts:
        entry = draft.job.entries.get("stage") if draft.name in alone else None
        is_ordered = needs_of(draft.job, source) if draft.job.stage == FIRST_STAGE else draft.name in needed
        if entry is not None and not is_ordered:
            draft.raw["stage"] = draft.job.stage
            raw_keys.mark(draft.name, entry, "GitLab starts no pipeline for this job without others")
