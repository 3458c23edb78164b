"""What is known of a stage before the needs of others are: its script, and how its trigger is started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Commands, Job, Plan, Trigger
from pipegen.shell.expanded import dotenv
from pipegen.shell.host import Host
from pipegen.shell.quote import quote
from pipegen.shell.script import Script, script
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.caches import lower_caches
from pipegen.targets.gitlab.environments import lower_environment
from pipegen.targets.gitlab.gates import check_gate
from pipegen.targets.gitlab.keeping import lower_keeping
from pipegen.targets.gitlab.locks import resource_group
from pipegen.targets.gitlab.machines import OwnMachine, check_machine, lower_machine
from pipegen.targets.gitlab.model import Cache, Entry, Environment, Kept
from pipegen.targets.gitlab.needs import read_stages
from pipegen.targets.gitlab.raw import lower_raw
from pipegen.targets.gitlab.scripts import entries
from pipegen.targets.gitlab.settings import Settings
from pipegen.targets.gitlab.tools import Surroundings, installs, surroundings
from pipegen.targets.gitlab.triggers import Bridge, Call, is_called, lower_trigger


class Draft(Struct, kw_only=True):
    """A stage's own script and what it leaves; *after* comes once that has ended, *trigger* is what starts then."""

    job: Job
    around: Surroundings
    own: OwnMachine
    script: tuple[Entry, ...]
    artifacts: tuple[str, ...]
    after: tuple[Entry, ...]
    kept: Kept
    environment: Environment | None
    caches: tuple[Cache, ...]
    resource_group: str
    raw: Mapping[str, Data]
    trigger: Bridge | Call | None

    @property
    def is_bridge(self) -> bool:
        """Whether the stage does nothing but start a pipeline, so that its job may be what GitLab starts it by."""
        return isinstance(self.trigger, Bridge) and not self.script and not self.after


def drafts(plan: Plan, host: Host, settings: Settings, report: Report) -> list[Draft]:
    """Return the drafts of the jobs of *plan*."""
    producers = {job.stage: job for job in plan.jobs}
    return [_draft(job, plan, producers, host, settings, report) for job in plan.jobs]


def in_host(found: Sequence[Draft], plan: Plan, host: Host, settings: Settings, report: Report) -> list[Draft]:
    """Return the drafts *found* of *plan* as they are in *host*: those that name what is the run's are made anew."""
    producers = {job.stage: job for job in plan.jobs}
    return [
        _draft(job, plan, producers, host, settings, report) if any(map(_names_run, (*one.script, *one.after))) else one
        for job, one in zip(plan.jobs, found, strict=True)
    ]


def _names_run(entry: Entry) -> bool:
    return "CI_PIPELINE_ID" in entry.text or "CI_PIPELINE_CREATED_AT" in entry.text


def _draft(job: Job, plan: Plan, producers: Mapping[str, Job], host: Host, settings: Settings, report: Report) -> Draft:
    trigger = lower_trigger(job, settings.projects, report)
    if not isinstance(trigger, Call) and any(isinstance(step, Trigger) for step in job.steps):
        job = replace(job, steps=tuple(step for step in job.steps if not isinstance(step, Trigger)))
    deployed = lower_environment(job, plan, report)
    job = deployed.job
    check_gate(job, report)
    made = script(job, plan, producers, host)
    body = (*entries(made.bind), *entries(made.steps), *entries(made.outputs, comment="outputs"), *deployed.script)
    artifacts, kept = lower_keeping(job, plan, _artifacts(job, made, trigger), report)
    around = surroundings(made, settings, is_users=any(isinstance(step, Commands) for step in job.steps))
    reports = (*((dotenv(job),) if job.expanded else ()), *deployed.dotenv)
    own = lower_machine(job, plan, producers, report)
    check_machine(job, around.kind, settings, report)
    if around.services:
        # What a job says itself would stand in the place of what it shares.
        around, own = replace(around, services=(*around.services, *own.services)), replace(own, services=())
    return Draft(
        job=job,
        around=around,
        own=own,
        script=(*installs(made, settings), *_cleared(job, producers, settings), *body) if body else (),
        artifacts=artifacts,
        environment=deployed.environment,
        caches=lower_caches(job, plan, report),
        resource_group=resource_group(job, report),
        raw=lower_raw(job, report),
        after=entries(made.after.commands) if made.after is not None else (),
        kept=replace(kept, dotenv=reports) if reports else kept,
        trigger=trigger,
    )


def idle(job: Job) -> tuple[Entry, ...]:
    """Return the script of a stage that does nothing; GitLab has no job without one."""
    return (Entry(f"echo {quote(f'nothing to do in stage {job.stage}')}"),)


def _cleared(job: Job, producers: Mapping[str, Job], settings: Settings) -> tuple[Entry, ...]:
    """Return the entry that removes what came with the files of other jobs and is meant for the calls of triggers."""
    if not any(is_called(producers[stage], settings.projects) for stage in read_stages(job)):
        return ()
    return (Entry("rm -rf .pipegen/trigger && { rmdir .pipegen 2>/dev/null || :; }"),)


def _artifacts(job: Job, made: Script, trigger: Bridge | Call | None) -> tuple[str, ...]:
    """Return what the job leaves: its files, and what it carries for other jobs and for the call of its trigger."""
    files = (artifact.path for artifact in job.artifacts if artifact.path is not None)
    values = (f".pipegen/trigger/{job.slug}/",) if isinstance(trigger, Call) else ()
    return (*files, *made.carries, *values)
