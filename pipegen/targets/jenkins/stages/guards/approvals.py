"""Approvals, delays and locks of a stage, before it takes an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.emit.groovy import literal
from pipegen.plan.model import Approval, Input, Job
from pipegen.targets.engine_names import lock_resource
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter
from pipegen.targets.jenkins.stages.guards.limits import LimitedSteps, duration, on_agent

_LOCKS_PLUGIN = "lockable-resources"


def with_waits(job: Job, limited: LimitedSteps, inputs: Sequence[Input]) -> LimitedSteps:
    """Return the steps of a stage after its waits and inside its locks; they then take the agent themselves.

    *inputs* are the parameters of the build.
    """
    deployment = job.deployment
    if not deployment.locks and deployment.approval is None and deployment.delay is None:
        return limited
    steps, approval = _locked(job, on_agent(limited)), deployment.approval
    if approval is not None and (approval.timeout is not None or approval.condition is not None):
        condition = ConditionWriter(inputs).of(approval.condition)
        return LimitedSteps(None, (model.Wrapped(_if_approved(job, approval, condition), steps),))
    return LimitedSteps(None, (*_waits(job), *steps))


def _if_approved(job: Job, approval: Approval, condition: str) -> str:
    """Return the block that runs steps if they are approved, in time if the stage is optional.

    In builds for which *condition* does not hold, it runs them at once; "" is all builds.
    """
    submitter = f", submitter: {literal(','.join(approval.approvers))}" if approval.approvers else ""
    question = f"message: {literal(_message(job, approval))}{submitter}"
    if approval.timeout is None:
        return f"afterApproval({condition}, {question})"
    if condition:
        return f"ifApprovedWhere({condition}, {approval.timeout}, {question})"
    return f"ifApproved({approval.timeout}, {question})"


def _message(job: Job, approval: Approval) -> str:
    return approval.message or f"Run stage {job.stage}?"


def _waits(job: Job) -> Iterator[model.Step]:
    """Yield the steps that wait for an approval, or for a delay."""
    approval, delay = job.deployment.approval, job.deployment.delay
    if approval is not None:
        yield model.InputStep(message=_message(job, approval), submitter=",".join(approval.approvers))
    if delay is not None:
        yield model.GroovyStatement(f"sleep {duration(delay.seconds)}")


def _locked(job: Job, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    if not job.deployment.locks:
        return steps
    first, *others = (f"resource: {literal(lock_resource(lock.name))}" for lock in job.deployment.locks)
    # All at once, so that two stages never wait for each other.
    extra = f", extra: [{', '.join(f'[{other}]' for other in others)}]" if others else ""
    return (model.Wrapped(f"lock({first}{extra})", steps, _LOCKS_PLUGIN),)
