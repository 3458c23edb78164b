"""The jobs of one pipeline: one for each stage, and the helpers that GitLab forces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pipegen.plan.model import Mail, Plan
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.helper_jobs.collectors import Collectors
from pipegen.targets.gitlab.helper_jobs.finally_stages import FINALLY, OUTCOME, Notes, notes
from pipegen.targets.gitlab.helper_jobs.removal import removal
from pipegen.targets.gitlab.jobs.approvals import gated
from pipegen.targets.gitlab.jobs.drafts import DraftJob, idle
from pipegen.targets.gitlab.jobs.hidden_jobs import Share
from pipegen.targets.gitlab.jobs.limits import limit_variables, lower_limits
from pipegen.targets.gitlab.jobs.shell_variables import expanded_variable
from pipegen.targets.gitlab.jobs.stop_stages import is_stop, needs_checkout, startable
from pipegen.targets.gitlab.jobs.tools import JobTools
from pipegen.targets.gitlab.jobs.triggers import Bridge, TriggerScript
from pipegen.targets.gitlab.model import (
    HELPER,
    GitLabJob,
    IdTokenEntry,
    ImageKeys,
    LimitKeys,
    NeedEntry,
    RuleEntry,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.needs.awaited import Place, needs, output_needs
from pipegen.targets.gitlab.rules.build import then
from pipegen.targets.gitlab.settings import GitLabSettings
from pipegen.targets.gitlab.settings import MailVariables as MailSettings

STEP = "step"
TEARDOWN = "teardown"
_NO_CHECKOUT = VariableEntry("GIT_STRATEGY", "none")
_IS_HELPER = VariableEntry(HELPER, "1")


class PipelineJob(Struct):
    """A job, and the stage that it belongs to; "" for what belongs to the whole pipeline."""

    stage: str
    job: GitLabJob


class JobContext(Struct, kw_only=True):
    """What the jobs of one pipeline have in common.

    *titles* are the names of the stages' jobs, *prefix* begins those of
    helpers; *shares* says what jobs take from hidden ones; *rules* say when the
    pipeline runs, *stage_rules* when each of its stages does, *bridge_rules* and
    *trigger_rules* the same for bridges, which have no variables of the file;
    *fetch* is written into each job.
    """

    plan: Plan
    host: ShellEnvironment
    settings: GitLabSettings
    names: JobNames
    titles: Mapping[str, str]
    prefix: str
    shares: Mapping[JobTools, Share]
    rules: tuple[RuleEntry, ...]
    stage_rules: Mapping[str, tuple[RuleEntry, ...]]
    bridge_rules: tuple[RuleEntry, ...]
    trigger_rules: Mapping[str, tuple[RuleEntry, ...]]
    fetch: tuple[VariableEntry, ...]

    def places(self, drafts: Sequence[DraftJob]) -> dict[str, Place]:
        """Return where the stages of *drafts* stand."""
        return {one.job.stage: self._place(one) for one in drafts}

    def made(self, drafts: Sequence[DraftJob], places: Mapping[str, Place]) -> Iterator[PipelineJob]:
        """Yield the jobs of *drafts* in the user's order, with all their needs."""
        noted = self._notes()
        for one in drafts:
            for job in self._jobs(one, places, noted):
                yield PipelineJob(one.job.stage, job)
            for job in noted.of(one.job.stage, _step(one)) if noted.made else ():
                yield PipelineJob(one.job.stage, job)
        for job in (*noted.of("", OUTCOME), *self._removal()):
            yield PipelineJob("", job)

    def collectors(self, names: JobNames, jobs: Sequence[GitLabJob], places: Mapping[str, Place]) -> Collectors:
        """Return what makes collectors of *jobs*, called by *names*."""
        # A collector stands one step after what it collects; so does every job that could need it.
        steps = {job.name: step_number(job) + 1 for job in jobs}
        left = {job.name: job.artifacts for job in jobs}
        dropped = [place for place in places.values() if place.condition is not None]
        missing = frozenset(name for place in dropped for name in (place.job, place.last))
        kept = {job.name: job.kept for job in jobs}
        told = {
            places[job.stage].job: tuple(expanded_variable(job, name) for name in job.expanded)
            for job in self.plan.jobs
            if job.expanded and job.stage in places
        }
        return Collectors(names, self.shell_image(), self.rules, steps, left, missing, kept, told)

    def _notes(self) -> Notes:
        return notes(
            self.plan,
            self.titles,
            self.stage_rules,
            self.rules,
            self.shell_image(),
            lambda name: self.names.take(f"{self.prefix}{name}"),
        )

    def _jobs(self, one: DraftJob, places: Mapping[str, Place], noted: Notes) -> Iterator[GitLabJob]:
        """Return the job of a stage, then its helpers."""
        found = self._own_jobs(one, places)
        if not one.job.is_final:
            return found
        title = places[one.job.stage].job
        return (noted.final(one.job, job) if job.name == title else job for job in found)

    def _own_jobs(self, one: DraftJob, places: Mapping[str, Place]) -> Iterator[GitLabJob]:
        place = places[one.job.stage]
        if isinstance(one.trigger, Bridge) and one.is_bridge:
            bridge = self._bridge(one, one.trigger, place.job, needs(one.job, places))
            if one.job.deployment.delay is not None:
                delay = self._delay(one, bridge)
                yield gated(delay, one.job, None, self.titles)
                bridge = replace(bridge, needs=(NeedEntry(delay.name, artifacts=False),))
            is_allowed = lower_limits(one.job.limits).allow_failure
            bridge = replace(bridge, resource_group=one.resource_group, raw=one.raw)
            bridge = replace(bridge, limits=LimitKeys(allow_failure=is_allowed or bridge.limits.allow_failure))
            yield gated(bridge, one.job, one.environment, self.titles)
        else:
            stage = self._stage(one, place, needs(startable(one.job, self.plan), places))
            yield gated(stage, one.job, one.environment, self.titles)
            if one.trigger is not None:
                yield from self._trigger(one, place)
        if one.job.mail is not None and one.job.mail.to and self.settings.mail is not None:
            yield from self._mails(one, one.job.mail, self.settings.mail, places)

    def _stage(self, one: DraftJob, place: Place, found: tuple[NeedEntry, ...]) -> GitLabJob:
        share = self.shares[one.around]
        own = share.own
        has_checkout = bool(one.script) and not (is_stop(one.job) and not needs_checkout(one.job))
        fetch = self.fetch if has_checkout else (_NO_CHECKOUT,)
        return GitLabJob(
            name=place.job,
            extends=share.extends,
            image=one.own.image or own.image,
            services=one.own.services or own.services,
            tags=one.job.machine.labels,
            id_tokens=tuple(IdTokenEntry(token.variable, token.audiences) for token in one.job.id_tokens)
            if one.job.id_tokens
            else (),
            # Without needs, a job waits for all jobs of earlier steps.
            stage=_step(one) if found or not is_stop(one.job) else f"{STEP} 1",
            needs=found,
            rules=self.stage_rules[one.job.stage],
            limits=lower_limits(one.job.limits, has_after=bool(one.after)),
            variables=(
                *own.variables,
                *one.own.variables,
                *fetch,
                *limit_variables(one.job.limits, has_after=bool(one.after)),
            ),
            before_script=own.before_script,
            script=one.script or idle(one.job),
            after_script=one.after,
            artifacts=one.artifacts,
            kept=one.kept,
            caches=one.caches,
            resource_group=one.resource_group,
            raw=one.raw,
        )

    def _trigger(self, one: DraftJob, place: Place) -> Iterator[GitLabJob]:
        """Yield the helper that starts another pipeline after a stage, if one does."""
        match one.trigger:
            case Bridge():
                bridge = self._bridge(one, one.trigger, place.last, (NeedEntry(place.job, artifacts=False),))
                # The mark stays here where nothing else is passed: the other project may refuse all variables.
                trigger = replace(one.trigger.trigger, passes_variables=bool(bridge.variables))
                yield replace(bridge, variables=(_IS_HELPER, *bridge.variables), trigger=trigger)
            case TriggerScript():
                yield GitLabJob(
                    name=place.last,
                    image=self._tool_image(),
                    stage=_step(one),
                    needs=(NeedEntry(place.job, artifacts=True),),
                    rules=self.stage_rules[one.job.stage],
                    variables=(_IS_HELPER, _NO_CHECKOUT),
                    script=one.trigger.script,
                )

    def _bridge(self, one: DraftJob, bridge: Bridge, name: str, found: tuple[NeedEntry, ...]) -> GitLabJob:
        return GitLabJob(
            name=name,
            stage=_step(one),
            needs=found,
            rules=self.trigger_rules[one.job.stage],
            limits=LimitKeys(allow_failure=bridge.allow_failure),
            # Else all variables of this file would override those of the other project.
            inherits_variables=False,
            variables=bridge.variables,
            trigger=bridge.trigger,
        )

    def _delay(self, one: DraftJob, bridge: GitLabJob) -> GitLabJob:
        """Return the helper that is put off in the place of *bridge*, which GitLab starts at once or never.

        https://docs.gitlab.com/ci/pipelines/downstream_pipelines/: a job with `trigger` has no `when: delayed`.
        """
        return GitLabJob(
            name=self.names.take(f"{self.prefix}delay of {one.job.stage}"),
            image=self.shell_image(),
            stage=bridge.stage,
            needs=bridge.needs,
            rules=self.stage_rules[one.job.stage],
            variables=(_IS_HELPER, _NO_CHECKOUT),
            script=(ScriptEntry("true"),),
        )

    def _mails(self, one: DraftJob, mail: Mail, by: MailSettings, places: Mapping[str, Place]) -> Iterator[GitLabJob]:
        """Yield the helper that runs once a stage has failed, after its last try, and one for a trigger of its own.

        A single job for both would never run when the stage fails: the trigger is skipped then, and so is every job
        that needs a skipped one, `when: on_failure` or not.
        """
        from pipegen.targets.gitlab.helper_jobs.mail import mail_outputs, mail_script  # noqa: PLC0415 - few pipelines tell by mail

        place = places[one.job.stage]
        read = output_needs(one.job, mail_outputs(mail), places)
        script = mail_script(one.job, mail, self.plan, self.host, by)
        failures = {one.job.stage: place.job}
        if one.trigger is not None and not one.is_bridge:
            failures[f"trigger {one.trigger.name}"] = place.last
        for shown, name in failures.items():
            title = self.names.take(f"{self.prefix}mail when {shown} fails")
            yield self._mail(title, one, (NeedEntry(name, artifacts=False), *read), script)

    def _mail(
        self, name: str, one: DraftJob, found: tuple[NeedEntry, ...], script: tuple[ScriptEntry, ...]
    ) -> GitLabJob:
        """Return a helper that runs once the first of the needs *found* has failed."""
        rules = self.stage_rules[one.job.stage]
        return GitLabJob(
            name=name,
            image=self._tool_image(),
            stage=_step(one),
            needs=found,
            rules=then(rules, "on_failure"),
            when="" if rules else "on_failure",
            variables=(_IS_HELPER, *(() if len(found) > 1 else (_NO_CHECKOUT,))),
            script=script,
        )

    def _removal(self) -> Iterator[GitLabJob]:
        """Yield the helper that removes what outlived its stage, if something did; without needs, it waits for all."""
        found = removal(self.plan, self.host, self.settings)
        if found is not None:
            yield GitLabJob(
                name=self.names.take(f"{self.prefix}remove {found.things}"),
                image=found.image,
                stage=TEARDOWN,
                rules=then(self.rules, "always"),
                when="" if self.rules else "always",
                variables=(_IS_HELPER, _NO_CHECKOUT),
                script=found.script,
            )

    def _place(self, one: DraftJob) -> Place:
        title = last = self.titles[one.job.stage]
        if one.trigger is not None and not one.is_bridge:
            last = self.names.take(f"{self.prefix}trigger {one.trigger.name}")
        return Place(
            job=title,
            last=last,
            artifacts=one.artifacts,
            needs=one.job.needs,
            condition=one.job.condition,
            may_be_passed=_may_be_passed(one),
        )

    def shell_image(self) -> ImageKeys | None:
        """Return the image of helpers that call what every image has."""
        return None if self._is_on_machine else ImageKeys(self.settings.tools.shell)

    def _tool_image(self) -> ImageKeys | None:
        """Return the image of helpers that call curl."""
        return None if self._is_on_machine else ImageKeys(self.settings.tools.curl, has_entrypoint=True)

    @property
    def _is_on_machine(self) -> bool:
        """Whether a shell runner runs the jobs, with the tools of its machine and no image."""
        return self.settings.images is Images.LOCAL


def _may_be_passed(one: DraftJob) -> bool:
    """Return whether jobs that need this one may start although it has failed, or before a person has started it.

    What the user says in GitLab's own words is not looked into.
    """
    is_manual = one.job.deployment.approval is not None or (one.environment is not None and one.environment.stops)
    is_allowed = isinstance(one.trigger, Bridge) and one.trigger.allow_failure
    return is_manual or is_allowed or one.job.limits.allow_failure is not None or bool(one.raw)


def step_number(job: GitLabJob) -> int:
    """Return the number of the step that *job* stands in; 0 where its step has a name."""
    return _number(job.stage)


@lru_cache(maxsize=1_024)
def _number(step: str) -> int:
    name, _, number = step.rpartition(" ")
    return int(number) if name == STEP else 0


def _step(one: DraftJob) -> str:
    return FINALLY if one.job.is_final else f"{STEP} {(one.job.frame or 0) + 1}"
