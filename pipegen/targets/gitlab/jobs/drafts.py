"""What is known of a stage before the needs of others are: its script, and how its trigger is started."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipegen.diagnostics.codes import SEVERAL_LOCKS
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Commands, Job, Plan, TriggerJob
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.image_values import dotenv_path
from pipegen.shell.quote import quote
from pipegen.shell.script import StageScriptParts, script
from pipegen.structs import Struct, replace
from pipegen.targets.fitted import fitted
from pipegen.targets.gitlab.jobs.approvals import check_deployment
from pipegen.targets.gitlab.jobs.caches import lower_caches
from pipegen.targets.gitlab.jobs.environments import lower_environment
from pipegen.targets.gitlab.jobs.machines import JobMachine, check_machine, lower_machine
from pipegen.targets.gitlab.jobs.raw import lower_raw
from pipegen.targets.gitlab.jobs.retention import lower_retention
from pipegen.targets.gitlab.jobs.scripts import entries
from pipegen.targets.gitlab.jobs.tools import JobTools, installs, surroundings
from pipegen.targets.gitlab.jobs.triggers import Bridge, TriggerScript, is_called, lower_trigger
from pipegen.targets.gitlab.model import ArtifactKeys, CacheEntry, EnvironmentKeys, ScriptEntry
from pipegen.targets.gitlab.needs.awaited import read_stages
from pipegen.targets.gitlab.settings import GitLabSettings


class DraftJob(Struct, kw_only=True):
    """A stage's own script and what it leaves; *after* comes once that has ended, *trigger* is what starts then."""

    job: Job
    around: JobTools
    own: JobMachine
    script: tuple[ScriptEntry, ...]
    artifacts: tuple[str, ...]
    after: tuple[ScriptEntry, ...]
    kept: ArtifactKeys
    environment: EnvironmentKeys | None
    caches: tuple[CacheEntry, ...]
    resource_group: str
    raw: Mapping[str, Data]
    trigger: Bridge | TriggerScript | None

    @property
    def is_bridge(self) -> bool:
        """Whether the stage does nothing but start a pipeline, so that its job may be what GitLab starts it by."""
        return isinstance(self.trigger, Bridge) and not self.script and not self.after


def drafts(plan: Plan, host: ShellEnvironment, settings: GitLabSettings, report: Report) -> list[DraftJob]:
    """Return the drafts of the jobs of *plan*."""
    drafting = _Drafting.of(plan, host, settings, report)
    return [drafting.draft(job) for job in plan.jobs]


def _raw(found: DraftJob, report: Report) -> Mapping[str, Data]:
    return lower_raw(found.job, report, is_bridge=found.is_bridge, has_artifacts=bool(found.artifacts))


def in_host(
    found: Sequence[DraftJob], plan: Plan, host: ShellEnvironment, settings: GitLabSettings, report: Report
) -> list[DraftJob]:
    """Return the drafts *found* of *plan* as they are in *host*: those that name what is the run's are made anew."""
    drafting = _Drafting.of(plan, host, settings, report)
    return [
        drafting.draft(job) if _names_run(one.script) or _names_run(one.after) else one
        for job, one in zip(plan.jobs, found, strict=True)
    ]


def _names_run(script: Sequence[ScriptEntry]) -> bool:
    text = "\n".join([entry.text for entry in script])
    return "CI_PIPELINE_ID" in text or "CI_PIPELINE_CREATED_AT" in text


class _Drafting(Struct, kw_only=True):
    """What the drafts of a pipeline have in common.

    *producers* are the jobs by stage, *called* the stages that leave values for the calls of their triggers.
    """

    plan: Plan
    producers: Mapping[str, Job]
    called: frozenset[str]
    host: ShellEnvironment
    settings: GitLabSettings
    report: Report
    around: dict[tuple[object, ...], JobTools]

    @classmethod
    def of(cls, plan: Plan, host: ShellEnvironment, settings: GitLabSettings, report: Report) -> _Drafting:
        """Return what the drafts of *plan* have in common."""
        return cls(
            plan=plan,
            producers={job.stage: job for job in plan.jobs},
            called=frozenset([job.stage for job in plan.jobs if is_called(job, settings.projects)]),
            host=host,
            settings=settings,
            report=report,
            around={},
        )

    def draft(self, job: Job) -> DraftJob:
        """Return the draft of *job*."""
        plan, settings, report = self.plan, self.settings, self.report
        kinds = {type(step) for step in job.steps}
        trigger = lower_trigger(job, settings.projects, report) if TriggerJob in kinds else None
        if TriggerJob in kinds and not isinstance(trigger, TriggerScript):
            job = replace(job, steps=tuple(step for step in job.steps if not isinstance(step, TriggerJob)))
        deployed = lower_environment(job, plan, report)
        job = deployed.job
        check_deployment(job, report)
        made = script(job, plan, self.producers, self.host)
        body = (*entries((*made.bind, *made.steps)), *entries(made.outputs, comment="outputs"), *deployed.script)
        artifacts, kept = lower_retention(job, plan, _artifacts(job, made, trigger), report)
        around = self._around(made, is_users=Commands in kinds)
        reports = (*((dotenv_path(job),) if job.expanded else ()), *deployed.dotenv)
        own = lower_machine(job, plan, self.producers, report)
        check_machine(job, around.kind, settings, report)
        if around.services:
            # What a job says itself would stand in the place of what it shares.
            around, own = replace(around, services=(*around.services, *own.services)), replace(own, services=())
        found = DraftJob(
            job=job,
            around=around,
            own=own,
            script=(*installs(made, settings), *(self._cleared(job) if self.called else ()), *body) if body else (),
            artifacts=artifacts,
            environment=deployed.environment,
            caches=lower_caches(job, plan, report) if job.caches else (),
            resource_group=resource_group(job, report) if job.deployment.locks else "",
            raw={},
            after=entries(made.after.commands) if made.after is not None else (),
            kept=replace(kept, dotenv=reports) if reports else kept,
            trigger=trigger,
        )
        return found if not job.raw else replace(found, raw=_raw(found, report))

    def _around(self, made: StageScriptParts, *, is_users: bool) -> JobTools:
        """Return what a job with the script *made* has around it: one value for all that have the same."""
        key = (made.prelude, made.uses_containers, made.uses_helm, made.uses_git, is_users)
        found = self.around.get(key)
        if found is None:
            found = self.around[key] = surroundings(made, self.settings, is_users=is_users)
        return found

    def _cleared(self, job: Job) -> tuple[ScriptEntry, ...]:
        """Return the entry that removes what came with the files of other jobs and is for the calls of triggers."""
        if self.called.isdisjoint(read_stages(job)):
            return ()
        return (ScriptEntry("rm -rf .pipegen/trigger && { rmdir .pipegen 2>/dev/null || :; }"),)


def idle(job: Job) -> tuple[ScriptEntry, ...]:
    """Return the script of a stage that does nothing; GitLab has no job without one."""
    return (ScriptEntry(f"echo {quote(f'nothing to do in stage {job.stage}')}"),)


def _artifacts(job: Job, made: StageScriptParts, trigger: Bridge | TriggerScript | None) -> tuple[str, ...]:
    """Return what the job leaves: its files, and what it carries for other jobs and for the call of its trigger."""
    if not job.artifacts and trigger is None:
        return made.carries
    files = [artifact.path for artifact in job.artifacts if artifact.path is not None]
    values = (f".pipegen/trigger/{job.slug}/",) if isinstance(trigger, TriggerScript) else ()
    return (*files, *made.carries, *values)


# https://docs.gitlab.com/ci/yaml/#resource_group; `$` would begin a variable.
_NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_/. -]")


def resource_group(job: Job, report: Report) -> str:
    """Return the resource group of *job*, "" for none; GitLab knows one for each job."""
    locks = job.deployment.locks
    if len(locks) > 1:
        report.add(
            SEVERAL_LOCKS,
            f'stage "{job.title}" takes {len(locks)} locks, and a job of GitLab is in one resource group',
            at=locks[1].span,
            hint="take one lock that stands for both, in all stages that take one of them",
        )
    return fitted(locks[0].name, _NOT_ALLOWED, edges="/ ") if locks else ""
