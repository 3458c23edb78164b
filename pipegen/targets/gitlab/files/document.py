"""The parts of a file that its jobs share: stages, variables, hidden jobs, and the user's settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Plan
from pipegen.structs import replace
from pipegen.targets.gitlab.helper_jobs.finally_stages import FINALLY, OUTCOME
from pipegen.targets.gitlab.jobs.fetch import fetch_variables, has_one_fetch
from pipegen.targets.gitlab.jobs.hidden_jobs import Sharing
from pipegen.targets.gitlab.jobs.values import shell_variables as hosts
from pipegen.targets.gitlab.model import Document, GitLabJob, RuleEntry, ScriptEntry, VariableEntry
from pipegen.targets.gitlab.pipelines import STEP, TEARDOWN, step_number
from pipegen.targets.gitlab.rules.runs import on_new_commit
from pipegen.targets.gitlab.settings import GitLabSettings, Workflow


def file_document(
    jobs: Sequence[GitLabJob],
    plans: Sequence[Plan],
    settings: GitLabSettings,
    shared: Sharing,
    *,
    workflow: tuple[RuleEntry, ...],
    variables: Iterable[VariableEntry],
) -> Document:
    """Return the file of the *jobs* of *plans*, with the *variables* of the user."""
    used = {job.extends for job in jobs}
    hidden = tuple(hidden_job for hidden_job in shared.hidden if hidden_job.name in used)
    shared_variables = [*variables]
    shared_variables += fetch_variables(plans[0].fetch) if has_one_fetch(plans) else ()
    scripts = [hidden_job.before_script for hidden_job in hidden]
    scripts += [script for job in jobs for script in (job.before_script, job.script)]
    shared_variables += _used(hosts.variables(settings), scripts)
    names = {variable.name for variable in shared_variables}
    for_runners = [VariableEntry(name, value) for name, value in settings.runner_variables if name not in names]
    return Document(
        stages=_stages(jobs),
        workflow=workflow,
        settings=Workflow(),
        on_new_commit=on_new_commit(plans),
        tags=settings.tags,
        id_tokens=settings.id_tokens,
        variables=(*for_runners, *shared_variables),
        hidden=hidden,
        jobs=_without_helper_tokens(jobs) if settings.id_tokens else tuple(jobs),
    )


def _stages(jobs: Sequence[GitLabJob]) -> tuple[str, ...]:
    """Return the GitLab stages of *jobs*, which are only for the display: needs define the order."""
    used = {job.stage for job in jobs}
    steps = (f"{STEP} {number + 1}" for number in range(max(map(step_number, jobs), default=0)))
    return (*steps, *(step for step in (OUTCOME, FINALLY, TEARDOWN) if step in used))


def _used(variables: Iterable[VariableEntry], scripts: Iterable[tuple[ScriptEntry, ...]]) -> list[VariableEntry]:
    """Return those of *variables* that one of *scripts* uses."""
    # All of them start with PIPEGEN_, and few scripts use one.
    texts = "\n".join([entry.text for script in scripts for entry in script if "PIPEGEN_" in entry.text])
    return [variable for variable in variables if texts and hosts.is_read(variable.name, texts)]


def _without_helper_tokens(jobs: Sequence[GitLabJob]) -> tuple[GitLabJob, ...]:
    """Return *jobs* of a file with default ID tokens, without tokens for helpers, which no stage requested."""
    return tuple(replace(job, inherited=("tags",)) if _is_helper(job) else job for job in jobs)


def _is_helper(job: GitLabJob) -> bool:
    """Return whether *job* is a helper that runs a script; a bridge runs none that could use a token."""
    return job.trigger is None and job.is_helper
