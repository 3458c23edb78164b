"""Retries, timeouts and allowed failures of a stage: blocks around its steps."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import AllowFailure, Failure, Plan, Retry, Workspace
from pipegen.shell.words.shell_effects import may_catch_signals
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import literals
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.pairs import SHARED_TIMEOUT, SYSTEM_AND_OTHERS
from pipegen.targets.jenkins.stages.guards.conditions import ConditionWriter

_ALL = frozenset(Failure)
_ONLY_SYSTEM = frozenset({Failure.SYSTEM})
_MINUTE = 60


class LimitedSteps(Struct):
    """Steps inside the blocks that limit them, and the agent around these; None for no agent."""

    agent: model.Agent | None
    steps: tuple[model.Step, ...]


def check_limits(plan: Plan, report: Report) -> None:
    """Report limits of *plan* that Jenkins lacks."""
    for job in plan.jobs:
        retry = job.limits.retry
        if retry is None:
            continue
        if retry.of_system:
            report.add(
                codes.NOT_ON_JENKINS,
                "Jenkins retries a stage after any loss of its agent",
                at=retry.span,
                hint='write "on: system" if this suits every engine',
            )
        if Failure.SYSTEM not in retry.on or frozenset(retry.on) in (_ALL, _ONLY_SYSTEM):
            continue
        others = " and ".join(kind.value for kind in retry.on if kind is not Failure.SYSTEM)
        report.add(
            SYSTEM_AND_OTHERS.code,
            f"Jenkins cannot retry a stage after failures of the kinds system and {others} only",
            at=retry.span,
            hint=f'remove "on" to retry after all kinds, or name either system or {others}',
        )
    if plan.workspace is Workspace.SHARED:
        _check_shared_timeouts(plan, report)


def _check_shared_timeouts(plan: Plan, report: Report) -> None:
    """Report timeouts of stages beside which others run: Jenkins finds the processes of a step by its workspace."""
    stages = {job.stage for job in plan.jobs if not job.is_final}
    for job in plan.jobs:
        timeout = job.limits.timeout
        if timeout is None or job.stage not in stages:
            continue
        beside = stages - {job.stage, *plan.graph.ancestors(job.stage), *plan.graph.descendants(job.stage)}
        if beside:
            report.add(
                SHARED_TIMEOUT.code,
                f'on Jenkins, the timeout of stage "{job.title}" also stops the scripts of stages beside it, which '
                "share its workspace",
                at=timeout.span,
                hint="remove workspace: shared, or the timeout, or run the stage after the others",
            )


def limited(
    named: NamedJob,
    agent: model.Agent | model.PodAgent | None,
    steps: tuple[model.Step, ...],
    last: tuple[model.Step, ...],
) -> LimitedSteps:
    """Return *steps*, which run on *agent*, inside their retries and timeout; *last* follows their success.

    Each attempt takes a new agent if a lost agent may be the reason for the retry, and always a new pod.
    """
    limits = named.job.limits
    if limits.timeout is not None:
        steps = (model.Wrapped(_timeout(limits.timeout.seconds, named), steps),)
    if isinstance(agent, model.PodAgent):
        steps = (model.InPod(agent, steps),)
        agent = None
    if limits.retry is not None and Failure.SYSTEM in limits.retry.on and agent is not None:
        steps = (model.OnAgent(agent, steps),)
        agent = None
    if limits.retry is not None:
        steps = (model.Wrapped(_retry(limits.retry), steps),)
    return LimitedSteps(agent, (*steps, *last))


def allowed(named: NamedJob, limited: LimitedSteps) -> LimitedSteps:
    """Return the steps of a stage that may fail, with the block that allows it also around its agent.

    A missing agent, also after a restart of the controller, is a failure like any other.
    """
    failure = named.job.limits.allow_failure
    if failure is None:
        return limited
    condition = ConditionWriter(named.plan.inputs).of(failure.condition)
    return LimitedSteps(None, (model.Wrapped(_allowed(failure, condition), on_agent(limited)),))


def on_agent(limited: LimitedSteps) -> tuple[model.Step, ...]:
    """Return steps that take their agent themselves."""
    return (model.OnAgent(limited.agent, limited.steps),) if limited.agent is not None else limited.steps


def _timeout(seconds: int, named: NamedJob) -> str:
    """Return the block that ends a stage after *seconds*.

    The end of Jenkins' own `timeout` aborts the build, also where it is caught, and it does not fail a script that ends
    with status 0 when it is asked to stop.
    """
    limits = named.job.limits
    is_distinguished = limits.retry is not None and frozenset(limits.retry.on) not in (_ALL, _ONLY_SYSTEM)
    is_allowed = limits.allow_failure is not None and not limits.allow_failure.exit_codes
    if is_allowed or is_distinguished or _may_catch_signals(named):
        return f"within({seconds})"
    return timeout_block(seconds)


def timeout_block(seconds: int) -> str:
    """Return Jenkins' own block that ends its contents after *seconds*."""
    return f"timeout({duration(seconds)})"


def duration(seconds: int) -> str:
    """Return the arguments of a step for so many *seconds*."""
    if seconds % _MINUTE:
        return f"time: {seconds}, unit: 'SECONDS'"
    return f"time: {seconds // _MINUTE}, unit: 'MINUTES'"


def _may_catch_signals(named: NamedJob) -> bool:
    return any(may_catch_signals(line) for command in named.script.steps for line in command.lines)


def _retry(retry: Retry) -> str:
    kinds = frozenset(retry.on)
    if kinds == _ALL:
        return f"retry({retry.count + 1})"
    if kinds == _ONLY_SYSTEM:
        return f"retry(count: {retry.count + 1}, conditions: [agent(), nonresumable()])"
    return f"tryAgain({retry.count}, {literals(sorted(kind.value for kind in kinds))})"


def _allowed(allowed: AllowFailure, condition: str) -> str:
    """Return the block that allows failures in runs for which *condition* holds; "" is all runs."""
    if allowed.exit_codes:
        codes = f"[{', '.join(map(str, allowed.exit_codes))}]"
        return f"allowExitCodes({condition} ? {codes} : [])" if condition else f"allowExitCodes({codes})"
    if condition:
        return f"allowFailure({condition})"
    # An aborted build is not a failure of the stage.
    return "catchError(buildResult: 'SUCCESS', stageResult: 'UNSTABLE', catchInterruptions: false)"
