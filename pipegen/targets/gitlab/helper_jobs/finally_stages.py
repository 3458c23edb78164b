"""Finally stages: jobs after all others, and helpers that record the statuses of stages.

A job with needs would start as soon as one of them is skipped, whatever the others do: for GitLab's `when: always`, a
skipped need means that all needs have finished. So finally jobs are in a GitLab stage of their own, without needs, and
fetch files by `dependencies`, which do not require success.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pipegen.diagnostics.codes import FAIL_FAST_UNAVAILABLE, FINALLY_WAITS, STATUS_UNAVAILABLE
from pipegen.diagnostics.report import Report, listed
from pipegen.plan import model as plan
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.jobs.values.outcomes import outcome_variable
from pipegen.targets.gitlab.jobs.values.shell_variables import FAILED, MARKS
from pipegen.targets.gitlab.model import (
    IS_HELPER,
    NO_CHECKOUT,
    STAGE,
    GitLabJob,
    ImageKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.rules.build import then
from pipegen.targets.gitlab.rules.runs import waits
from pipegen.targets.gitlab.rules.stages import StageRules

OUTCOME = "outcome"
# As many helpers share a script, which reads the name of the stage from a variable.
_MANY = 4
# When a job of the last stage runs, by the status of the pipeline.
_WHEN = {"": "always", "failed": "on_failure", "success": ""}
FINALLY = "finally"


def check_outcomes(plans: Sequence[plan.Plan], report: Report) -> None:
    """Report statuses and fail-fast behaviour of *plans* that GitLab does not support."""
    for pipeline in plans:
        if pipeline.failure_stops_others:
            report.add(
                FAIL_FAST_UNAVAILABLE,
                f'on GitLab, other stages of "{pipeline.name}" start even after one has failed',
                at=pipeline.fail_fast_span,
                hint="remove it, or accept this: GitLab's auto_cancel on_job_failure also stops running jobs, and then "
                "finally stages never start",
            )
        final = next((job for job in pipeline.jobs if job.is_final), None)
        has_other_pipelines = len(plans) > 1 and not waits(pipeline)
        asks_for_all = any(job.on_status or "" in job.statuses for job in pipeline.jobs)
        if final is not None and has_other_pipelines and not asks_for_all:
            others = [other.name for other in plans if other is not pipeline]
            report.add(
                FINALLY_WAITS,
                f'finally stages of "{pipeline.name}" also wait for the stages of {listed(others)}',
                at=final.span,
                hint="GitLab's finally jobs wait for whole stages; compile the pipeline alone with --pipeline",
            )
        for job in pipeline.jobs:
            _check_statuses(job, pipeline, report, has_other_pipelines=has_other_pipelines)


class StatusJobs(Struct, kw_only=True):
    """The helpers of a pipeline that record the statuses of its stages.

    *titles* are the names of the stages' jobs, *rules* the rules of each stage; *jobs* are the helpers of each stage,
    or of "", the pipeline.
    """

    titles: Mapping[str, str]
    rules: Mapping[str, StageRules]
    jobs: Mapping[str, tuple[GitLabJob, ...]]

    def of(self, stage: str, step: str) -> Iterator[GitLabJob]:
        """Yield the helpers that record the status of *stage*, in *step*."""
        for job in self.jobs.get(stage, ()):
            yield replace(job, stage=step)

    def final(self, job: plan.Job, gitlab_job: GitLabJob) -> GitLabJob:
        """Return *gitlab_job*, which runs the finally stage *job*, so that it runs after all others."""
        sources = [need.job for need in gitlab_job.needs if need.artifacts]
        for stage in job.statuses:
            sources += [self.titles[stage]] if stage else []
            sources += [helper.name for helper in self.jobs[stage]]
        dependencies = None if gitlab_job.trigger is not None else tuple(dict.fromkeys(sources))
        final = replace(gitlab_job, needs=(), dependencies=dependencies)
        return _when(final, _WHEN[job.on_status], self.rules[job.stage].own)


def status_jobs(
    pipeline: plan.Plan,
    titles: Mapping[str, str],
    rules: Mapping[str, StageRules],
    pipeline_rules: tuple[RuleEntry, ...],
    image: ImageKeys | None,
    take: Callable[[str], str],
) -> StatusJobs:
    """Return the helpers of *pipeline*, which run in *image*; *take* returns a unique name."""
    jobs = {}
    readers = (job for job in pipeline.jobs if job.statuses and not outcome_variable(job))
    stages = dict.fromkeys(stage for job in readers for stage in job.statuses)
    are_many = sum(bool(stage) and _may_fail(pipeline.job(stage)) for stage in stages) >= _MANY
    for stage in stages:
        if stage:
            helpers = _of_stage(
                pipeline.job(stage), titles[stage], rules[stage].of_helpers, take, has_variable=are_many
            )
        else:
            helpers = iter((_of_all(take("note when a stage fails"), pipeline_rules),))
        jobs[stage] = tuple(replace(job, image=image) for job in helpers)
    return StatusJobs(titles=titles, rules=rules, jobs=jobs)


def _of_stage(
    job: plan.Job, title: str, rules: tuple[RuleEntry, ...], take: Callable[[str], str], *, has_variable: bool
) -> Iterator[GitLabJob]:
    """Yield the helper for a failure of *job*, and the helper for an allowed failure, a success for GitLab.

    The first *has_variable* with the name of its file, so that other helpers have the same script.
    """
    path = f"{MARKS}/{job.slug}"
    command = f"mkdir -p {MARKS} && echo failed >{path}"
    if _may_fail(job):
        file = f"{MARKS}/${STAGE}"
        helper = GitLabJob(
            name=take(f"note when {job.stage} fails"),
            stage="",
            needs=(NeedEntry(title, artifacts=False),),
            variables=(IS_HELPER, NO_CHECKOUT, *((VariableEntry(STAGE, job.slug),) if has_variable else ())),
            script=(ScriptEntry(f'mkdir -p {MARKS} && echo failed >"{file}"' if has_variable else command),),
            artifacts=(file if has_variable else path,),
        )
        yield _when(helper, "on_failure", rules)
    if job.limits.allow_failure is not None:
        yield GitLabJob(
            name=take(f"note whether {job.stage} fails"),
            stage="",
            needs=(NeedEntry(title, artifacts=True),),
            rules=rules,
            # With a checkout, which removes files of an earlier run.
            variables=(IS_HELPER,),
            script=(ScriptEntry(f"[ -e {path} ] || {{ {command}; }}"),),
            artifacts=(path,),
        )


def _may_fail(job: plan.Job) -> bool:
    """Return whether failures of *job* count in some runs."""
    allowed = job.limits.allow_failure
    return allowed is None or not allowed.is_certain


def _of_all(name: str, rules: tuple[RuleEntry, ...]) -> GitLabJob:
    helper = GitLabJob(
        name=name,
        stage="",
        dependencies=(),
        variables=(IS_HELPER, NO_CHECKOUT),
        script=(ScriptEntry(f"mkdir -p .pipegen && touch {FAILED}"),),
        artifacts=(FAILED,),
    )
    return _when(helper, "on_failure", rules)


def _when(job: GitLabJob, when: str, rules: tuple[RuleEntry, ...]) -> GitLabJob:
    """Return *job* with *when* it runs, if *rules* let it run at all."""
    return replace(job, rules=then(rules, when), when="" if rules else when)


def _check_statuses(job: plan.Job, pipeline: plan.Plan, report: Report, *, has_other_pipelines: bool) -> None:
    for stage in dict.fromkeys((*job.statuses, "") if job.on_status else job.statuses):
        if not stage and has_other_pipelines:
            message = "GitLab has one status for all pipelines of a file, and none for each"
            instead = 'name the stage in "always"' if job.on_status else "read the status of stages"
            if job.posts:
                instead = 'move the webhook to the "notify" of a stage'
            hint = f"compile the pipeline alone with --pipeline, or {instead}"
        elif stage and any(isinstance(step, plan.TriggerJob) for step in pipeline.job(stage).steps):
            message = f'GitLab does not provide the status of stage "{stage}", which ends with a trigger'
            hint = "read ${pipeline.status}, or move the trigger to a separate stage"
        elif job.after and stage in job.statuses:
            message = (
                f'"after" of stage "{job.title}" cannot read statuses on GitLab, where it runs in a separate shell'
            )
            hint = 'read the status in "script", or remove "after"'
        else:
            continue
        report.add(STATUS_UNAVAILABLE, message, at=job.span, hint=hint)
