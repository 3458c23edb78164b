"""The stages of a Jenkinsfile, before their layout in a style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from pipegen.plan.model import Job, Workspace
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob, names_by_key
from pipegen.targets.jenkins.names import StageNames
from pipegen.targets.jenkins.stages.agents.agents import agent_of
from pipegen.targets.jenkins.stages.agents.tools import tools
from pipegen.targets.jenkins.stages.guards.approvals import with_waits
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter, conjunction
from pipegen.targets.jenkins.stages.guards.forks import guarded
from pipegen.targets.jenkins.stages.guards.limits import allowed, limited
from pipegen.targets.jenkins.stages.guards.when import when_lines
from pipegen.targets.jenkins.stages.mail import LoweredMail, lower_mail
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts
from pipegen.targets.jenkins.stages.steps import (
    StepContext,
    steps,
    taken_pod,
    takes_agent,
)


class Style(Enum):
    """The style of a Jenkinsfile."""

    DECLARATIVE = "declarative"
    SCRIPTED = "scripted"


class Stages(Struct):
    """The stages of all pipelines in the order of the config, and the functions that compute mail recipients."""

    stages: tuple[model.StageBlock, ...]
    recipients: tuple[model.Recipients, ...]


def lower_stages(named: Sequence[NamedJob], shared: StepContext, style: Style) -> Stages:
    """Return the stages of the *named* jobs."""
    names = names_by_key(named)
    jobs: dict[str, dict[str, Job]] = {}
    for named_job in named:
        jobs.setdefault(named_job.plan.name, {})[named_job.job.stage] = named_job.job
    if style is Style.DECLARATIVE:
        shared = replace(shared, statuses=shared.statuses.in_declarative())
    failing = {plan.name: plan.name for plan in shared.work.plans if plan.failure_stops_others}
    functions = StageNames()
    stages: list[model.StageBlock] = []
    recipients: list[model.Recipients] = []
    for named_job in named:
        values = _values(named_job, jobs[named_job.plan.name])
        mail = lower_mail(named_job.job.mail, values, functions) if named_job.job.mail is not None else None
        if mail is not None and mail.recipients is not None:
            recipients.append(mail.recipients)
        agent = agent_of(named_job, shared.work.settings) if takes_agent(named_job) else None
        limited_steps = limited(
            named_job,
            agent or taken_pod(named_job),
            steps(named_job, values, shared),
            shared.statuses.success_steps(named_job),
        )
        waiting = with_waits(named_job.job, limited_steps, named_job.plan.inputs)
        guarded_steps = waiting if shared.is_guarded else guarded(named_job, waiting, shared.work.settings)
        allowed_steps = allowed(named_job, guarded_steps)
        stages.append(
            model.StageBlock(
                name=named_job.name,
                pipeline=named_job.plan.name,
                after=_after(named_job, names, shared),
                agent=allowed_steps.agent,
                tools=tools(named_job.job, shared.work.settings),
                steps=allowed_steps.steps,
                environment=shared.own_variables(named_job) if shared.has_directives(named_job) else (),
                on_failure=_on_failure(named_job, mail, allowed_steps.agent, shared, style) if mail is not None else (),
                fail_fast="" if named_job.job.is_final else failing.get(named_job.plan.name, ""),
                may_be_unstable=named_job.job.limits.allow_failure is not None,
                condition=_condition(named_job, shared),
                when=when_lines(named_job.job.condition, named_job.plan.inputs) if style is Style.DECLARATIVE else (),
            )
        )
    return Stages(tuple(stages), tuple(recipients))


def _condition(named_job: NamedJob, shared: StepContext) -> str:
    """Return the Groovy expression for whether a stage runs, "" if it always does."""
    own = ConditionWriter(named_job.plan.inputs).decision(named_job.job.condition)
    return conjunction(shared.statuses.condition(named_job), own)


def _after(named_job: NamedJob, names: Mapping[tuple[str, str], str], shared: StepContext) -> tuple[str, ...]:
    if named_job.job.is_final:
        return (shared.work.ends[named_job.plan.name],)
    return tuple(names[named_job.plan.name, stage] for stage in named_job.job.needs)


def _values(named_job: NamedJob, jobs: Mapping[str, Job]) -> GroovyTexts:
    output = "sharedOutput" if named_job.plan.workspace is Workspace.SHARED else "output"
    return GroovyTexts(named_job.plan, named_job.job, jobs, output)


def _on_failure(
    named_job: NamedJob, mail: LoweredMail, agent: model.Agent | None, shared: StepContext, style: Style
) -> tuple[model.Step, ...]:
    """Return the steps of *mail*; a scripted stage has released its agent by then, a declarative one has not."""
    has_agent = named_job.plan.workspace is Workspace.SHARED or (style is Style.DECLARATIVE and agent is not None)
    if not mail.reads_outputs or has_agent:
        return (mail.step,)
    return (model.OnAgent(model.Agent(shared.work.settings.agent), (mail.step,)),)
