"""The jobs of one pipeline: one for each stage, and the helpers that GitLab requires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pipegen.plan.model import Job, Mail, Plan
from pipegen.plan.model.texts import mail_texts, outputs_in
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.helper_jobs.built_images import builds_dockerfile
from pipegen.targets.gitlab.helper_jobs.collectors import Collectors
from pipegen.targets.gitlab.helper_jobs.finally_stages import FINALLY, OUTCOME, StatusJobs, status_jobs
from pipegen.targets.gitlab.helper_jobs.mail import mail_script
from pipegen.targets.gitlab.helper_jobs.optional_stages import is_optional_in_some_runs, waiting_job
from pipegen.targets.gitlab.helper_jobs.removal import removal
from pipegen.targets.gitlab.jobs.deployments.approvals import with_start
from pipegen.targets.gitlab.jobs.deployments.stop_stages import needs_checkout, with_stop_needs
from pipegen.targets.gitlab.jobs.drafts import DraftJob, idle_script
from pipegen.targets.gitlab.jobs.fetch import skips_checkout, stage_fetch_variables
from pipegen.targets.gitlab.jobs.hidden_jobs import Share
from pipegen.targets.gitlab.jobs.limits import limit_variables, lower_limits, within_pipeline
from pipegen.targets.gitlab.jobs.raw import (
    always_starts,
    has_rules,
    needs_failure,
    raw_combinations,
    runs_after_failures,
)
from pipegen.targets.gitlab.jobs.tools import JobTools
from pipegen.targets.gitlab.jobs.triggers import Bridge, TriggerScript
from pipegen.targets.gitlab.jobs.values.outcomes import outcome_jobs
from pipegen.targets.gitlab.jobs.values.shell_variables import expanded_variable
from pipegen.targets.gitlab.model import (
    IS_HELPER,
    NO_CHECKOUT,
    GitLabJob,
    IdTokenEntry,
    ImageKeys,
    IncludedFile,
    LimitKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import StageJob, needs, output_needs
from pipegen.targets.gitlab.rules.build import then
from pipegen.targets.gitlab.rules.stages import StageRules
from pipegen.targets.gitlab.settings import GitLabSettings
from pipegen.targets.gitlab.settings import MailVariables as MailSettings

STEP = "step"
TEARDOWN = "teardown"


class PipelineJob(Struct):
    """A job and its stage, "" for a job of the whole pipeline."""

    stage: str
    job: GitLabJob


class JobContext(Struct, kw_only=True):
    """The values shared by the jobs of one pipeline.

    *titles* are the names of the stages' jobs, *prefix* starts the names of helpers; *shares* are the keys that jobs
    take from hidden jobs; *rules* are those of the pipeline, *stage_rules* those of its stages, *bridge_rules* and
    *trigger_rules* the same for bridges, which do not get the variables of the file; *fetch* is written into each job.
    """

    plan: Plan
    host: ShellEnvironment
    settings: GitLabSettings
    names: JobNames
    titles: Mapping[str, str]
    prefix: str
    shares: Mapping[JobTools, Share]
    rules: tuple[RuleEntry, ...]
    stage_rules: Mapping[str, StageRules]
    bridge_rules: tuple[RuleEntry, ...]
    trigger_rules: Mapping[str, StageRules]
    fetch: tuple[VariableEntry, ...]

    def stage_jobs(self, drafts: Sequence[DraftJob]) -> dict[str, StageJob]:
        """Return the GitLab job of each stage of *drafts*."""
        return {draft.job.stage: self._stage_job(draft) for draft in drafts}

    def build_jobs(self, drafts: Sequence[DraftJob], stage_jobs: Mapping[str, StageJob]) -> Iterator[PipelineJob]:
        """Yield the jobs of *drafts* in the user's order, with all their needs."""
        status_jobs = self._status_jobs()
        by_draft = [tuple(self._jobs(draft, stage_jobs, status_jobs)) for draft in drafts]
        needed = {need.job for jobs in by_draft for job in jobs for need in job.needs}
        for draft, jobs in zip(drafts, by_draft, strict=True):
            stage_job = stage_jobs[draft.job.stage]
            for job in jobs:
                yield PipelineJob(draft.job.stage, job)
                if stage_job.sometimes_optional and job.name == stage_job.job and stage_job.last in needed:
                    helper = waiting_job(draft, job, stage_job.last, self.shell_image())
                    yield PipelineJob(draft.job.stage, helper)
            for job in status_jobs.of(draft.job.stage, _step(draft)) if status_jobs.jobs else ():
                yield PipelineJob(draft.job.stage, job)
        for job in (*status_jobs.of("", OUTCOME), *self._removal()):
            yield PipelineJob("", job)

    def collectors(self, names: JobNames, jobs: Sequence[GitLabJob], stage_jobs: Mapping[str, StageJob]) -> Collectors:
        """Return a builder of collectors for *jobs*, with names from *names*."""
        # A collector is one step after the jobs that it collects, like every job that could need it.
        steps = {job.name: step_number(job) + 1 for job in jobs}
        artifacts = {job.name: job.artifacts for job in jobs}
        conditional = [stage_job for stage_job in stage_jobs.values() if stage_job.is_conditional]
        missing = frozenset(name for stage_job in conditional for name in (stage_job.job, stage_job.last))
        artifact_keys = {job.name: job.artifact_keys for job in jobs}
        variables = {
            stage_jobs[job.stage].job: tuple(expanded_variable(job, name) for name in job.expanded)
            for job in self.plan.jobs
            if job.expanded and job.stage in stage_jobs
        }
        combinations = raw_combinations(jobs)
        image = self.shell_image()
        return Collectors(names, image, self.rules, steps, artifacts, missing, artifact_keys, variables, combinations)

    def _status_jobs(self) -> StatusJobs:
        return status_jobs(
            self.plan,
            self.titles,
            self.stage_rules,
            self.rules,
            self.shell_image(),
            lambda name: self.names.take(f"{self.prefix}{name}"),
        )

    def _jobs(
        self, draft: DraftJob, stage_jobs: Mapping[str, StageJob], status_jobs: StatusJobs
    ) -> Iterator[GitLabJob]:
        """Return the job of a stage, then its helpers."""
        jobs = self._own_jobs(draft, stage_jobs)
        if not draft.job.is_final:
            return jobs
        title = stage_jobs[draft.job.stage].job
        final = (status_jobs.final(draft.job, job) if job.name == title else job for job in jobs)
        if not draft.outcome:
            return final
        name = self.names.take(f"{title} on failure")
        return (each for job in final for each in outcome_jobs(job, draft.outcome, name))

    def _own_jobs(self, draft: DraftJob, stage_jobs: Mapping[str, StageJob]) -> Iterator[GitLabJob]:
        stage_job = stage_jobs[draft.job.stage]
        if isinstance(draft.trigger, Bridge) and draft.is_bridge:
            bridge = self._bridge(draft, draft.trigger, stage_job.job, needs(draft.job, stage_jobs))
            if draft.job.deployment.delay is not None:
                delay = self._delay(draft, bridge)
                yield with_start(delay, draft.job, None, self.titles)
                bridge = replace(bridge, needs=(NeedEntry(delay.name, artifacts=False),))
            is_allowed = lower_limits(draft.job.limits).allow_failure
            bridge = replace(bridge, resource_group=draft.resource_group, raw=draft.raw)
            bridge = replace(bridge, limits=LimitKeys(allow_failure=is_allowed or bridge.limits.allow_failure))
            yield with_start(bridge, draft.job, draft.environment, self.titles)
        else:
            stage = self._stage(draft, stage_job, needs(with_stop_needs(draft.job, self.plan), stage_jobs))
            yield with_start(stage, draft.job, draft.environment, self.titles)
            if draft.trigger is not None:
                yield from self._trigger(draft, stage_job)
        if draft.job.mail is not None and draft.job.mail.to and self.settings.mail is not None:
            yield from self._mails(draft, draft.job.mail, self.settings.mail, stage_jobs)

    def _stage(self, draft: DraftJob, stage_job: StageJob, entries: tuple[NeedEntry, ...]) -> GitLabJob:
        share = self.shares[draft.tools]
        own = share.own
        limits = within_pipeline(draft.job.limits, self.plan)
        is_stop = draft.job.deployment.stops_environment
        has_checkout = bool(draft.script) and (not is_stop or needs_checkout(draft.job))
        fetch = self._fetch(draft.job) if has_checkout else (NO_CHECKOUT,)
        return GitLabJob(
            name=stage_job.job,
            extends=share.extends,
            image=draft.machine.image or own.image,
            services=draft.machine.services or own.services,
            tags=draft.job.machine.labels,
            id_tokens=tuple(IdTokenEntry(token.variable, token.audiences) for token in draft.job.id_tokens)
            if draft.job.id_tokens
            else (),
            # A job without needs waits for all jobs of earlier steps.
            stage=_step(draft) if entries or not is_stop else f"{STEP} 1",
            needs=entries,
            rules=self.stage_rules[draft.job.stage].own,
            limits=lower_limits(limits, has_after=bool(draft.after)),
            variables=(
                *((IS_HELPER,) if builds_dockerfile(draft.job) else ()),
                *own.variables,
                *draft.machine.variables,
                *draft.variables,
                *fetch,
                *limit_variables(limits, draft.job.machine.runner_variables, has_after=bool(draft.after)),
            ),
            before_script=own.before_script,
            script=draft.script or idle_script(draft.job),
            # Entries of its own replace those of the hidden job.
            after_script=(*draft.after, *draft.tools.after_script) if draft.after else own.after_script,
            artifacts=draft.artifacts,
            artifact_keys=draft.artifact_keys,
            caches=draft.caches,
            resource_group=draft.resource_group,
            raw=draft.raw,
        )

    def _fetch(self, job: Job) -> tuple[VariableEntry, ...]:
        """Return the variables for how *job* fetches the repository: its own replace those of its pipeline."""
        if job.fetch is None:
            return self.fetch
        if skips_checkout(job):
            return (NO_CHECKOUT,)
        own = stage_fetch_variables(job.fetch)
        names = {variable.name for variable in own}
        return (*(variable for variable in self.fetch if variable.name not in names), *own)

    def _trigger(self, draft: DraftJob, stage_job: StageJob) -> Iterator[GitLabJob]:
        """Yield the helper that starts another pipeline after a stage, if the stage has a trigger."""
        match draft.trigger:
            case Bridge():
                # PIPEGEN_HELPER is not passed on alone: the other project may reject all variables.
                trigger = replace(draft.trigger.trigger, passes_variables=bool(draft.trigger.variables))
                started = replace(draft.trigger, trigger=trigger)
                bridge = self._bridge(draft, started, stage_job.last, (NeedEntry(stage_job.job, artifacts=False),))
                rules = self.trigger_rules[draft.job.stage].of_helpers
                yield replace(bridge, variables=(IS_HELPER, *bridge.variables), rules=rules)
            case TriggerScript():
                yield GitLabJob(
                    name=stage_job.last,
                    image=self._tool_image(),
                    stage=_step(draft),
                    needs=(NeedEntry(stage_job.job, artifacts=True),),
                    rules=self.stage_rules[draft.job.stage].of_helpers,
                    variables=(IS_HELPER, NO_CHECKOUT),
                    script=draft.trigger.script,
                )

    def _bridge(self, draft: DraftJob, bridge: Bridge, name: str, entries: tuple[NeedEntry, ...]) -> GitLabJob:
        return GitLabJob(
            name=name,
            stage=_step(draft),
            needs=entries,
            rules=self.trigger_rules[draft.job.stage].own,
            limits=LimitKeys(allow_failure=bridge.allow_failure),
            # Otherwise, all variables of this file would override those of the other project.
            inherits_variables=False,
            variables=bridge.variables,
            trigger=replace(
                bridge.trigger,
                include=tuple(
                    IncludedFile(file.path, self.titles[file.stage] if file.stage else "") for file in bridge.files
                ),
            ),
        )

    def _delay(self, draft: DraftJob, bridge: GitLabJob) -> GitLabJob:
        """Return a delayed helper that runs before *bridge*, which GitLab cannot delay.

        https://docs.gitlab.com/ci/pipelines/downstream_pipelines/: a job with `trigger` has no `when: delayed`.
        """
        return GitLabJob(
            name=self.names.take(f"{self.prefix}delay of {draft.job.stage}"),
            image=self.shell_image(),
            stage=bridge.stage,
            needs=bridge.needs,
            rules=self.stage_rules[draft.job.stage].of_helpers,
            variables=(IS_HELPER, NO_CHECKOUT),
            script=(ScriptEntry("true"),),
        )

    def _mails(
        self, draft: DraftJob, mail: Mail, by: MailSettings, stage_jobs: Mapping[str, StageJob]
    ) -> Iterator[GitLabJob]:
        """Yield the helper that runs after the last failed attempt of a stage, and one for a separate trigger job.

        One helper for both would never run when the stage fails: the trigger is then skipped, and so is every job
        that needs a skipped one, even with `when: on_failure`.
        """
        stage_job = stage_jobs[draft.job.stage]
        output_entries = output_needs(draft.job, outputs_in(mail_texts(mail)), stage_jobs)
        script = mail_script(draft.job, mail, self.plan, self.host, by)
        failures = {draft.job.stage: stage_job.job}
        if draft.trigger is not None and not draft.is_bridge:
            failures[f"trigger {draft.trigger.name}"] = stage_job.last
        for failing, name in failures.items():
            title = self.names.take(f"{self.prefix}mail when {failing} fails")
            yield self._mail(title, draft, (NeedEntry(name, artifacts=False), *output_entries), script)

    def _mail(
        self, name: str, draft: DraftJob, entries: tuple[NeedEntry, ...], script: tuple[ScriptEntry, ...]
    ) -> GitLabJob:
        """Return a helper that runs if the first of its needs, *entries*, has failed."""
        rules = self.stage_rules[draft.job.stage].of_helpers
        return GitLabJob(
            name=name,
            image=self._tool_image(),
            stage=_step(draft),
            needs=entries,
            rules=then(rules, "on_failure"),
            when="" if rules else "on_failure",
            variables=(IS_HELPER, *(() if len(entries) > 1 else (NO_CHECKOUT,))),
            mail_of=draft.job.stage,
            script=script,
        )

    def _removal(self) -> Iterator[GitLabJob]:
        """Yield the helper that removes shared resources, if there are any; without needs, it waits for all jobs."""
        cleanup = removal(self.plan, self.host, self.settings)
        if cleanup is not None:
            yield GitLabJob(
                name=self.names.take(f"{self.prefix}remove {cleanup.resources}"),
                image=cleanup.image,
                stage=TEARDOWN,
                rules=then(self.rules, "always"),
                when="" if self.rules else "always",
                variables=(IS_HELPER, NO_CHECKOUT),
                script=cleanup.script,
            )

    def _stage_job(self, draft: DraftJob) -> StageJob:
        title = last = self.titles[draft.job.stage]
        if draft.trigger is not None and not draft.is_bridge:
            last = self.names.take(f"{self.prefix}trigger {draft.trigger.name}")
        is_sometimes_optional = last == title and is_optional_in_some_runs(draft)
        if is_sometimes_optional:
            last = self.names.take(f"{self.prefix}wait for {draft.job.title}")
        return StageJob(
            job=title,
            last=last,
            artifacts=(*draft.artifacts, *draft.artifact_keys.dotenv),
            needs=draft.job.needs,
            condition=draft.job.condition,
            has_own_rules=has_rules(draft.raw),
            may_be_passed=_may_be_passed(draft),
            sometimes_optional=is_sometimes_optional,
            runs_after_failures=runs_after_failures(draft.raw),
            needs_failure=needs_failure(draft.raw),
            has_own_needs=draft.raw.get("needs") is not None,
            always_starts=always_starts(draft.raw),
        )

    def shell_image(self) -> ImageKeys | None:
        """Return the image of helpers that need only a shell."""
        return None if self._is_on_machine else ImageKeys(self.settings.tools.shell)

    def _tool_image(self) -> ImageKeys | None:
        """Return the image of helpers that use curl."""
        return None if self._is_on_machine else ImageKeys(self.settings.tools.curl, has_entrypoint=True)

    @property
    def _is_on_machine(self) -> bool:
        """Whether a shell runner runs the jobs with the tools of its machine, without images."""
        return self.settings.images is Images.LOCAL


def _may_be_passed(draft: DraftJob) -> bool:
    """Return whether jobs that need this one may start although it failed, or before a person has started it.

    The user's own GitLab keys (`raw`) may have any effect.
    """
    is_manual = draft.job.deployment.approval is not None or (draft.environment is not None and draft.environment.stops)
    is_allowed = isinstance(draft.trigger, Bridge) and draft.trigger.allow_failure
    return is_manual or is_allowed or draft.job.limits.allow_failure is not None or bool(draft.raw)


def step_number(job: GitLabJob) -> int:
    """Return the number of the step of *job*; 0 if the step has a name."""
    return _number(job.stage)


@lru_cache(maxsize=1_024)
def _number(step: str) -> int:
    name, _, number = step.rpartition(" ")
    return int(number) if name == STEP else 0


def _step(draft: DraftJob) -> str:
    return FINALLY if draft.job.is_final else f"{STEP} {(draft.job.frame or 0) + 1}"
