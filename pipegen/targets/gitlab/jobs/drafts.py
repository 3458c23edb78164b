"""Drafts of jobs: the script and keys of each stage, before the needs of others are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from pipegen.diagnostics.codes import CASE_VARIABLE, RAW_REPLACES, SEVERAL_LOCKS
from pipegen.diagnostics.report import Report
from pipegen.emit.yaml import Data
from pipegen.plan.model import Commands, Job, Plan, TriggerJob
from pipegen.plan.model.steps import is_variable_name
from pipegen.shell.command import with_heading
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import quote
from pipegen.shell.script import StageScriptParts, script
from pipegen.shell.values.image_values import dotenv_path
from pipegen.structs import Struct, replace
from pipegen.targets.constants import Constants, check_cases, constants, params_of
from pipegen.targets.engine_names import lock_resource
from pipegen.targets.gitlab.jobs.caches import lower_caches
from pipegen.targets.gitlab.jobs.deployments.approvals import check_deployment
from pipegen.targets.gitlab.jobs.deployments.environments import lower_environment
from pipegen.targets.gitlab.jobs.machines import (
    JobMachine,
    check_machine,
    lower_machine,
    without_repeated_variables,
)
from pipegen.targets.gitlab.jobs.raw import (
    lower_raw,
    raw_variables,
    read_by_rules,
    replaces_script,
    with_carried,
    without_raw_variables,
)
from pipegen.targets.gitlab.jobs.retention import lower_retention, stored_path
from pipegen.targets.gitlab.jobs.scripts import entries
from pipegen.targets.gitlab.jobs.tools import JobTools, job_tools, start
from pipegen.targets.gitlab.jobs.triggers import Bridge, TriggerScript, is_called, lower_trigger
from pipegen.targets.gitlab.jobs.values.expanded_texts import plain_value, variable_texts
from pipegen.targets.gitlab.jobs.values.outcomes import outcome_variable, without_status
from pipegen.targets.gitlab.jobs.values.shell_variables import PARENT_VARIABLES
from pipegen.targets.gitlab.jobs.values.variables import is_free_name
from pipegen.targets.gitlab.model import ArtifactKeys, CacheEntry, EnvironmentKeys, ScriptEntry, VariableEntry
from pipegen.targets.gitlab.names import resource_group_name
from pipegen.targets.gitlab.needs.awaited import read_stages
from pipegen.targets.gitlab.runner_variables import check_scripts
from pipegen.targets.gitlab.settings import GitLabSettings


class DraftJob(Struct, kw_only=True):
    """The job of a stage without its needs; *after* runs when the script has ended, then *trigger* starts.

    *outcome* is the variable for the status of the pipeline, if the stage becomes a job for each status. *login* are
    the entries of the script, or of those before it, that log in to the registry.
    """

    job: Job
    tools: JobTools
    machine: JobMachine
    script: tuple[ScriptEntry, ...]
    artifacts: tuple[str, ...]
    after: tuple[ScriptEntry, ...]
    artifact_keys: ArtifactKeys
    environment: EnvironmentKeys | None
    caches: tuple[CacheEntry, ...]
    resource_group: str
    raw: Mapping[str, Data]
    trigger: Bridge | TriggerScript | None
    outcome: str
    variables: tuple[VariableEntry, ...]
    login: tuple[ScriptEntry, ...]

    @property
    def is_bridge(self) -> bool:
        """Whether the stage only starts a pipeline, so that its job may be the bridge."""
        return isinstance(self.trigger, Bridge) and not self.script and not self.after


def drafts(plan: Plan, host: ShellEnvironment, settings: GitLabSettings, report: Report) -> list[DraftJob]:
    """Return the drafts of the jobs of *plan*."""
    check_cases(plan, is_free_name, "GitLab", report)
    drafting = _Drafting.of(plan, host, settings, report)
    jobs = [without_raw_variables(job) for job in plan.jobs]
    result = [drafting.draft(job) for job in jobs]
    check_scripts(zip(jobs, map(_lines, result), strict=True), report)
    return result


def _lines(draft: DraftJob) -> Iterator[str]:
    return (entry.text for entry in chain(draft.script, draft.after))


def _raw(draft: DraftJob, report: Report) -> Mapping[str, Data]:
    raw = lower_raw(draft.job, report, is_bridge=draft.is_bridge, has_artifacts=bool(draft.artifacts))
    return with_carried(raw, draft.artifacts, draft.artifact_keys.dotenv)


def redraft(
    drafts: Sequence[DraftJob], plan: Plan, environment: ShellEnvironment, settings: GitLabSettings, report: Report
) -> list[DraftJob]:
    """Return the drafts *drafts* of *plan* for *environment*: those that name values of the run are created again."""
    drafting = _Drafting.of(plan, environment, settings, report)
    redrafted = [
        drafting.draft(without_raw_variables(job)) if _names_run(draft.script) or _names_run(draft.after) else draft
        for job, draft in zip(plan.jobs, drafts, strict=True)
    ]
    return [with_early_login(draft) for draft in redrafted] if any(map(_logs_in_early, drafts)) else redrafted


def with_early_login(draft: DraftJob) -> DraftJob:
    """Return *draft* with the login before its script, where jobs can share it."""
    if not draft.login or _logs_in_early(draft):
        return draft
    tools = replace(draft.tools, before_script=(*draft.tools.before_script, *draft.login))
    return replace(draft, tools=tools, script=tuple(entry for entry in draft.script if entry not in draft.login))


def _logs_in_early(draft: DraftJob) -> bool:
    return bool(draft.login) and draft.tools.before_script[-len(draft.login) :] == draft.login


def _names_run(script: Sequence[ScriptEntry]) -> bool:
    text = "\n".join([entry.text for entry in script])
    return any(variable.removeprefix("$") in text for variable in ("$CI_PIPELINE_ID", *PARENT_VARIABLES.values()))


class _Drafting(Struct, kw_only=True):
    """The values shared by the drafts of a pipeline.

    *producers* are the jobs by stage, *called* the stages that store values for the calls of their triggers.
    """

    plan: Plan
    producers: Mapping[str, Job]
    called: frozenset[str]
    host: ShellEnvironment
    settings: GitLabSettings
    report: Report
    tools: dict[tuple[object, ...], JobTools]

    @classmethod
    def of(cls, plan: Plan, host: ShellEnvironment, settings: GitLabSettings, report: Report) -> _Drafting:
        """Return the shared values of the drafts of *plan*."""
        return cls(
            plan=plan,
            producers={job.stage: job for job in plan.jobs},
            called=frozenset([job.stage for job in plan.jobs if is_called(job, settings.projects)]),
            host=host,
            settings=settings,
            report=report,
            tools={},
        )

    def draft(self, job: Job) -> DraftJob:
        """Return the draft of *job*."""
        plan, settings, report = self.plan, self.settings, self.report
        host, outcome = self.host, outcome_variable(job)
        if outcome:
            host, job = replace(host, status=lambda _: f"${outcome}"), without_status(job, outcome)
        kinds = {type(step) for step in job.steps}
        trigger = lower_trigger(job, settings.projects, report) if TriggerJob in kinds else None
        if TriggerJob in kinds and not isinstance(trigger, TriggerScript):
            job = replace(job, steps=tuple(step for step in job.steps if not isinstance(step, TriggerJob)))
        lowered = lower_environment(job, plan, report)
        job = lowered.job
        check_deployment(job, report)
        machine = lower_machine(job, plan, self.producers, settings.images, report)
        caches = lower_caches(job, plan, report) if job.caches else ()
        set_by_engine = self._variables(job)
        parts = script(set_by_engine.job, plan, self.producers, host, set_by_engine.names)
        if _reads(set_by_engine, parts, (machine, caches, lowered.environment)):
            _report_cases(job, report)
            set_by_engine = Constants((), job)
            parts = script(job, plan, self.producers, host)
        self._report_lost(job, set_by_engine)
        artifacts, artifact_keys = lower_retention(job, plan, _artifacts(job, plan, parts, trigger, report), report)
        tools = self._job_tools(parts, is_users=Commands in kinds)
        reports = (*((dotenv_path(job),) if job.expanded else ()), *lowered.dotenv)
        check_machine(job, tools.kind, settings, report)
        if tools.services:
            # Services of the job itself would replace the shared ones.
            tools, machine = (
                replace(tools, services=(*tools.services, *machine.services)),
                replace(machine, services=()),
            )
        draft = DraftJob(
            job=job,
            tools=tools,
            machine=without_repeated_variables(machine, set_by_engine.variables),
            login=entries(parts.login),
            script=self._script(job, parts, lowered.script),
            artifacts=artifacts,
            environment=lowered.environment,
            caches=caches,
            resource_group=resource_group(job, report) if job.deployment.locks else "",
            raw={},
            after=entries(parts.after.commands) if parts.after is not None else (),
            artifact_keys=replace(artifact_keys, dotenv=reports) if reports else artifact_keys,
            trigger=trigger,
            outcome=outcome,
            variables=tuple(VariableEntry(name, value) for name, value in set_by_engine.variables),
        )
        return draft if not job.raw else replace(draft, raw=_raw(draft, report))

    def _variables(self, job: Job) -> Constants:
        """Return the variables of `env` that GitLab sets, all if a key for GitLab replaces the script of *job*."""
        read = read_by_rules(job)
        if not replaces_script(job):
            return constants(
                job,
                self.plan,
                is_free_name,
                read_by_rules=read,
                expandable=lambda text, known: plain_value(text, self.plan, known),
            )
        values = variable_texts(job, self.plan, raw_variables(job))
        return constants(job, self.plan, is_variable_name, read_by_rules=read, values=values)

    def _report_lost(self, job: Job, set_by_engine: Constants) -> None:
        """Report variables in `env` of *job* that a script of GitLab in its place lacks, which is *set_by_engine*."""
        if not replaces_script(job):
            return
        names = set_by_engine.names
        values = variable_texts(job, self.plan, raw_variables(job))
        for name, text in [variable for step in job.steps if isinstance(step, Commands) for variable in step.env]:
            if name not in names and values.get(name) != f"${name}":
                self.report.add(
                    RAW_REPLACES,
                    f'"script" of stage "{job.title}" replaces the commands that set "{name}", '
                    "which is not a variable of the job",
                    at=text.span,
                    hint="set it in the script for GitLab",
                )

    def _script(self, job: Job, parts: StageScriptParts, last: tuple[ScriptEntry, ...]) -> tuple[ScriptEntry, ...]:
        """Return the script of *job*: its *parts*, then the entries *last*."""
        steps = entries((*parts.bind, *parts.login, *parts.steps))
        body = (*steps, *entries(with_heading(parts.outputs)), *last)
        return (*start(parts, self.settings), *(self._removal(job) if self.called else ()), *body) if body else ()

    def _job_tools(self, parts: StageScriptParts, *, is_users: bool) -> JobTools:
        """Return the tools of a job with the script *parts*: one value for all jobs with the same tools."""
        key = (parts.prelude, parts.uses_containers, parts.uses_helm, parts.uses_git, is_users)
        tools = self.tools.get(key)
        if tools is None:
            tools = self.tools[key] = job_tools(parts, self.settings, is_users=is_users)
        return tools

    def _removal(self, job: Job) -> tuple[ScriptEntry, ...]:
        """Return the entry that removes trigger values that came with the files of other jobs."""
        if self.called.isdisjoint(read_stages(job)):
            return ()
        return (ScriptEntry("rm -rf .pipegen/trigger && { rmdir .pipegen 2>/dev/null || :; }"),)


def _reads(constants: Constants, parts: StageScriptParts, keys: tuple[object, ...]) -> bool:
    """Return whether the script *parts* or the *keys* of a job read a variable of *constants* with another meaning."""
    if not (constants.variables or constants.job.cases):
        return False
    names = {*constants.names}
    all_names = {*names, *constants.job.computed_names}
    texts = repr(keys)
    # Searching for a name is nearly free; searching for a pattern is not, and most texts have none of the names.
    return not names.isdisjoint(params_of(parts.setup)) or any(
        name in texts and re.search(rf"[$%]\{{?{name}\b", texts) for name in all_names
    )


def _report_cases(job: Job, report: Report) -> None:
    """Report the cases of *job*, whose image, cache, environment or script may read a variable with another meaning."""
    if job.cases:
        report.add(
            CASE_VARIABLE,
            f'stage "{job.title}" uses a name of its variables for something else',
            at=job.cases[0].span,
            hint='use other names than those of "setup.params" and in the image, the cache and the environment',
        )


def idle_script(job: Job) -> tuple[ScriptEntry, ...]:
    """Return the script of a stage that does nothing; GitLab requires a script."""
    return (ScriptEntry(f"echo {quote(f'nothing to do in stage {job.stage}')}"),)


def _artifacts(
    job: Job, plan: Plan, parts: StageScriptParts, trigger: Bridge | TriggerScript | None, report: Report
) -> tuple[str, ...]:
    """Return the artifacts of the job: its files, and the values for other jobs and for the call of its trigger."""
    if not job.artifacts and trigger is None:
        return parts.carries
    files = [
        stored_path(f"{artifact.path}/" if artifact.is_folder else artifact.path, artifact.span, plan, report)
        for artifact in job.artifacts
        if artifact.path is not None
    ]
    values = (f".pipegen/trigger/{job.slug}/",) if isinstance(trigger, TriggerScript) else ()
    return (*files, *parts.carries, *values)


def resource_group(job: Job, report: Report) -> str:
    """Return the resource group of *job*, "" for none; GitLab allows one for each job."""
    locks = job.deployment.locks
    if len(locks) > 1:
        report.add(
            SEVERAL_LOCKS,
            f'stage "{job.title}" takes {len(locks)} locks; a GitLab job can be in only one resource group',
            at=locks[1].span,
            hint="use one common lock in all stages that take one of them",
        )
    return resource_group_name(lock_resource(locks[0].name)) if locks else ""
