"""Finally stages that read the status of the pipeline: a job for each status.

GitLab has no variable for the status, but starts jobs by it: after the other stages, one of two jobs runs, `on_success`
or `on_failure`. They differ in a variable.
"""

from __future__ import annotations

from pipegen.bindings.expression import Reference, Scope, Text
from pipegen.plan.model import Commands, Job, TriggerJob
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.values.variables import is_free_name
from pipegen.targets.gitlab.model import IS_HELPER, GitLabJob, VariableEntry
from pipegen.targets.gitlab.rules.build import then

_DEFAULT_NAME = "PIPELINE_STATUS"
_SUCCESS, _FAILED = "success", "failed"


def outcome_variable(job: Job) -> str:
    """Return the variable for the status of the pipeline in *job*, "" if two jobs cannot take the place of *job*."""
    if not job.is_final or job.statuses != ("",) or job.raw or job.mail is not None:
        return ""
    if any(isinstance(step, TriggerJob) for step in job.steps):
        return ""
    names = (
        name
        for step in job.steps
        if isinstance(step, Commands)
        for name, value in step.env
        if _is_status(value) and is_free_name(name)
    )
    return next(names, _DEFAULT_NAME)


def without_status(job: Job, variable: str) -> Job:
    """Return *job* without the entries of `env` that set *variable* to the status, and with no status to fetch."""
    steps = tuple(
        replace(step, env=tuple((name, value) for name, value in step.env if name != variable or not _is_status(value)))
        if isinstance(step, Commands)
        else step
        for step in job.steps
    )
    return replace(job, steps=steps, statuses=())


def outcome_jobs(job: GitLabJob, variable: str, name: str) -> tuple[GitLabJob, GitLabJob]:
    """Return *job* for a successful pipeline, with the status in *variable*, and the job *name* for a failed one."""
    rules = tuple(replace(rule, when="") if rule.when == "always" else rule for rule in job.rules)
    variables = (*job.variables, VariableEntry(variable, _SUCCESS))
    success = replace(job, when="", rules=rules, variables=variables)
    failure = GitLabJob(
        name=name,
        stage=job.stage,
        extends=job.name,
        has_stage_of_extended=True,
        rules=then(job.rules, "on_failure"),
        when="" if job.rules else "on_failure",
        variables=(IS_HELPER, VariableEntry(variable, _FAILED)),
    )
    return success, failure


def _is_status(value: Text) -> bool:
    part = value.parts[0] if len(value.parts) == 1 else None
    return isinstance(part, Reference) and part.scope is Scope.STATUS and not part.namespace and not part.default
