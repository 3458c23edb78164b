"""The stages of a Jenkinsfile, before they are laid out in a style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from pipegen.plan.model import Job, Workspace
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.names import StageNames
from pipegen.targets.jenkins.stages.agents import agent_of
from pipegen.targets.jenkins.stages.approvals import gated
from pipegen.targets.jenkins.stages.conditions import Questions
from pipegen.targets.jenkins.stages.containers import ContainerSteps, contained
from pipegen.targets.jenkins.stages.forks import guarded
from pipegen.targets.jenkins.stages.limits import allowed, limited
from pipegen.targets.jenkins.stages.mail import LoweredMail, lower_mail
from pipegen.targets.jenkins.stages.post_actions import in_script
from pipegen.targets.jenkins.stages.steps import StepContext, steps, takes_agent
from pipegen.targets.jenkins.stages.values import GroovyTexts


class Style(Enum):
    """How a Jenkinsfile is written."""

    DECLARATIVE = "declarative"
    SCRIPTED = "scripted"


class Stages(Struct):
    """The stages of all pipelines in the order of the config, and the functions that find recipients of their mails."""

    stages: tuple[model.StageBlock, ...]
    recipients: tuple[model.Recipients, ...]


def lower_stages(named: Sequence[NamedJob], shared: StepContext, style: Style) -> Stages:
    """Return the stages of the *named* jobs."""
    shown = {(one.plan.name, one.job.stage): one.name for one in named}
    jobs: dict[str, dict[str, Job]] = {}
    for one in named:
        jobs.setdefault(one.plan.name, {})[one.job.stage] = one.job
    functions = StageNames()
    stages: list[model.StageBlock] = []
    recipients: list[model.Recipients] = []
    for one in named:
        values = _values(one, jobs[one.plan.name])
        mail = lower_mail(one.job.mail, values, functions) if one.job.mail is not None else None
        if mail is not None and mail.recipients is not None:
            recipients.append(mail.recipients)
        agent = agent_of(one, shared.work.settings) if takes_agent(one) else None
        bounded = limited(one, agent, steps(one, values, shared), shared.statuses.told(one))
        found = allowed(one, guarded(one, gated(one.job, bounded), shared.work.settings))
        placed = contained(one, found) if style is Style.DECLARATIVE else ContainerSteps(None, found.steps)
        stages.append(
            model.StageBlock(
                name=one.name,
                pipeline=one.plan.name,
                after=_after(one, shown, shared),
                agent=found.agent,
                container=placed.container,
                steps=in_script(placed.steps) if style is Style.DECLARATIVE else placed.steps,
                on_failure=_on_failure(one, mail, found.agent, shared, style) if mail is not None else (),
                fail_fast=one.plan.name if one.plan.is_fail_fast and not one.job.is_final else "",
                may_be_unstable=one.job.limits.allow_failure is not None,
                condition=Questions(one.plan.inputs).of(one.job.condition),
            )
        )
    return Stages(tuple(stages), tuple(recipients))


def _after(one: NamedJob, shown: Mapping[tuple[str, str], str], shared: StepContext) -> tuple[str, ...]:
    if one.job.is_final:
        return (shared.work.ends[one.plan.name],)
    return tuple(shown[one.plan.name, stage] for stage in one.job.needs)


def _values(one: NamedJob, jobs: Mapping[str, Job]) -> GroovyTexts:
    output = "sharedOutput" if one.plan.workspace is Workspace.SHARED else "output"
    return GroovyTexts(one.plan, one.job, jobs, output)


def _on_failure(
    one: NamedJob, mail: LoweredMail, agent: model.Agent | None, shared: StepContext, style: Style
) -> tuple[model.Step, ...]:
    """Return the steps of *mail*; a scripted stage has given its agent back by then, a declarative one has not."""
    is_at_an_agent = one.plan.workspace is Workspace.SHARED or (style is Style.DECLARATIVE and agent is not None)
    if not mail.reads_outputs or is_at_an_agent:
        return (mail.step,)
    return (model.OnAgent(model.Agent(shared.work.settings.agent), (mail.step,)),)
