"""The needs of each job: the jobs that it waits for, and whose artifacts it fetches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from pipegen.plan.model import Condition, Job, Output
from pipegen.plan.model.logic import implies
from pipegen.structs import Struct
from pipegen.targets.gitlab.model import NeedEntry


class StageJob(Struct, kw_only=True):
    """The job of a stage in the file.

    *last* is the last job of the stage: that of its trigger, if the trigger has a separate job. *needs* are the stages
    directly before it; if its *condition* does not hold, its jobs are not in the pipeline. With *has_own_rules*, raw
    keys of GitLab decide that instead. If it is *sometimes_optional*, *last* is a helper for jobs that wait for it,
    which is not in runs in which it is optional. If it *runs_after_failures*, its success does not imply that of its
    needs. Neither does it if it *has_own_needs*, raw keys of GitLab. If it *needs_failure*, GitLab skips it, and jobs
    that need it, unless one has failed. If it *always_starts*, it does so as soon as one that it needs is skipped.
    """

    job: str
    last: str
    artifacts: tuple[str, ...]
    needs: tuple[str, ...] = ()
    condition: Condition | None = None
    has_own_rules: bool = False
    may_be_passed: bool = False
    sometimes_optional: bool = False
    runs_after_failures: bool = False
    needs_failure: bool = False
    has_own_needs: bool = False
    always_starts: bool = False

    def may_be_early(self, *, always_starts: bool) -> bool:
        """Return whether its jobs may start before those of its needs have succeeded, and the reader looks at that.

        One that *always_starts* does not.
        """
        return self.has_own_needs or (self.runs_after_failures and not always_starts)

    @property
    def is_conditional(self) -> bool:
        """Whether its jobs are missing from some pipelines."""
        return self.has_own_rules or self.sometimes_optional or self.condition is not None

    def is_present_with(self, other: StageJob) -> bool:
        """Return whether its jobs are in exactly the pipelines that have those of *other*."""
        is_known = not (
            self.has_own_rules or self.sometimes_optional or other.has_own_rules or other.sometimes_optional
        )
        return is_known and self.condition == other.condition

    def passes(self, condition: Condition | None) -> bool:
        """Return whether a job that runs on *condition* and needs this one certainly runs after this one's needs."""
        return not self.may_be_passed and not self.may_be_missing(condition)

    def may_be_missing(self, condition: Condition | None) -> bool:
        """Return whether its jobs may be missing when a job that runs on *condition* is present."""
        is_uncertain = self.condition is not None and not implies(condition, self.condition)
        return self.has_own_rules or self.sometimes_optional or is_uncertain


def needs(job: Job, stage_jobs: Mapping[str, StageJob]) -> tuple[NeedEntry, ...]:
    """Return the needs of *job*: its predecessors in the order of the arcs, then other ancestors that it reads.

    *stage_jobs* is in the user's order.
    """
    read = read_stages(job)
    own = stage_jobs.get(job.stage)
    has_own_rules = own is not None and own.has_own_rules
    waited = awaited(
        job.needs,
        job.condition,
        stage_jobs,
        has_own_rules=has_own_rules,
        runs_after_failures=own is not None and own.runs_after_failures,
        always_starts=own is not None and own.always_starts,
    )
    unwaited = read.difference(waited)
    other_ancestors = [stage for stage in stage_jobs if stage in unwaited] if unwaited else []
    entries: list[NeedEntry] = []
    for stage in (*waited, *other_ancestors):
        has_files = stage in read and (stage_jobs[stage].artifacts != () or stage in job.raw_files)
        entries += _stage_needs(
            stage_jobs[stage], job, has_own_rules=has_own_rules, has_files=has_files, is_awaited=stage in waited
        )
    return tuple(entries)


def output_needs(job: Job, outputs: tuple[Output, ...], stage_jobs: Mapping[str, StageJob]) -> tuple[NeedEntry, ...]:
    """Return the needs of a helper of *job* that reads only *outputs*."""
    stages = dict.fromkeys(output.stage for output in outputs)
    entries = (
        _stage_needs(
            stage_jobs[stage],
            job,
            has_own_rules=stage_jobs[job.stage].has_own_rules,
            has_files=stage_jobs[stage].artifacts != (),
            is_awaited=False,
        )
        for stage in stages
    )
    return tuple(chain.from_iterable(entries))


def awaited(
    direct: Iterable[str],
    condition: Condition | None,
    stage_jobs: Mapping[str, StageJob],
    *,
    has_own_rules: bool = False,
    runs_after_failures: bool = False,
    always_starts: bool = False,
) -> dict[str, None]:
    """Return the stages that a job on *condition* awaits: *direct*, and predecessors of those that imply nothing.

    A job that needs a missing one starts without waiting for what that one would have waited for, and one that needs a
    job that may be early starts in spite of these. If the job *has_own_rules*, any stage may be missing,
    together with those that run on the same condition. Unless it *runs_after_failures* itself, it awaits none of those
    predecessors that need a failure. If it *always_starts*, the results of its predecessors make no difference.
    """
    stages = dict.fromkeys(direct)
    visited = set(stages)
    pending = [
        stage
        for stage in reversed(stages)
        if has_own_rules
        or stage_jobs[stage].is_conditional
        or stage_jobs[stage].may_be_early(always_starts=always_starts)
    ]
    while pending:
        stage_job = stage_jobs[pending.pop()]
        is_early = stage_job.may_be_early(always_starts=always_starts)
        if has_own_rules or is_early or stage_job.may_be_missing(condition):
            new = [stage for stage in stage_job.needs if stage not in visited]
            visited.update(new)
            pending += reversed(new)
            stages |= dict.fromkeys(
                stage
                for stage in new
                if not (has_own_rules and stage_jobs[stage].is_present_with(stage_job))
                and (runs_after_failures or not stage_jobs[stage].needs_failure)
            )
    return stages


def _stage_needs(
    stage_job: StageJob, reader: Job, *, has_own_rules: bool, has_files: bool, is_awaited: bool
) -> list[NeedEntry]:
    """Return the needs of *reader* on one stage, optional if its jobs may be missing; it gets files if it *has_files*.

    If the reader *has_own_rules*, only GitLab knows in which pipelines it is: jobs without rules are in none for merge
    requests (https://docs.gitlab.com/ci/jobs/job_rules/), and GitLab refuses a pipeline without a needed job.

    The job of a trigger needs the stage's own, which is then needed for artifacts only. A finally stage waits for no
    single job, so it gets the files of a job that is optional in some runs without the helper.
    """
    is_optional = has_own_rules or stage_job.may_be_missing(reader.condition)
    if stage_job.sometimes_optional and not reader.is_final:
        return [NeedEntry(stage_job.last, has_files, is_optional)] if has_files or is_awaited else []
    has_trigger = stage_job.last != stage_job.job
    entries = (
        [NeedEntry(stage_job.job, has_files, is_optional)] if has_files or (is_awaited and not has_trigger) else []
    )
    if is_awaited and has_trigger:
        entries.append(NeedEntry(stage_job.last, artifacts=False, is_optional=is_optional))
    return entries


def read_stages(job: Job) -> set[str]:
    """Return the stages whose outputs, files or containers *job* reads."""
    return {output.stage for output in job.inputs}.union(job.files, job.raw_files, job.containers)
