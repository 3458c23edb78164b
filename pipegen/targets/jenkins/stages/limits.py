"""How often a stage is tried, for how long, and what its failure means: blocks around its steps."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.diagnostics.report import Report
from pipegen.plan.model import AllowFailure, Failure, Plan, Retry
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.pairs import SYSTEM_AND_OTHERS

_ALL = frozenset(Failure)
_ONLY_SYSTEM = frozenset({Failure.SYSTEM})


class LimitedSteps(Struct):
    """Steps with the blocks that bound them, and the agent that is taken around all of it; None where none is."""

    agent: model.Agent | None
    steps: tuple[model.Step, ...]


def check_limits(plan: Plan, report: Report) -> None:
    """Report limits of *plan* that Jenkins has no way to keep."""
    for job in plan.jobs:
        retry = job.limits.retry
        if retry is None or Failure.SYSTEM not in retry.on or frozenset(retry.on) in (_ALL, _ONLY_SYSTEM):
            continue
        others = " and ".join(kind.value for kind in retry.on if kind is not Failure.SYSTEM)
        report.add(
            SYSTEM_AND_OTHERS.code,
            f'Jenkins cannot try stage "{job.title}" again after failures of the kinds system and {others} alone',
            at=retry.span,
            hint=f'leave out "on" for all kinds, or name either system or {others}',
        )


def limited(
    named: NamedJob, agent: model.Agent | None, steps: tuple[model.Step, ...], last: tuple[model.Step, ...] = ()
) -> LimitedSteps:
    """Return *steps*, which run on *agent*, with their tries and time around them; *last* follows their success.

    Each try takes an agent anew where a lost one may be the reason for it.
    """
    limits = named.job.limits
    if limits.timeout is not None:
        steps = (model.Wrapped(f"within({limits.timeout.seconds})", steps),)
    if limits.retry is not None and Failure.SYSTEM in limits.retry.on and agent is not None:
        steps = (model.OnAgent(agent, steps),)
        agent = None
    if limits.retry is not None:
        steps = (model.Wrapped(_tries(limits.retry), steps),)
    return LimitedSteps(agent, (*steps, *last))


def allowed(named: NamedJob, found: LimitedSteps) -> LimitedSteps:
    """Return the steps of a stage that may fail, with what allows that around its agent too.

    An agent that cannot be had, or not again after a restart of the controller, is a failure like others.
    """
    failure = named.job.limits.allow_failure
    if failure is None:
        return found
    return LimitedSteps(None, (model.Wrapped(_allowed(failure), on_agent(found)),))


def on_agent(found: LimitedSteps) -> tuple[model.Step, ...]:
    """Return steps that take their agent themselves."""
    return (model.OnAgent(found.agent, found.steps),) if found.agent is not None else found.steps


def tells_status(named: NamedJob) -> bool:
    """Return whether the exit code of the stage's script matters beyond zero or not."""
    allowed = named.job.limits.allow_failure
    return allowed is not None and bool(allowed.exit_codes)


def _tries(retry: Retry) -> str:
    kinds = frozenset(retry.on)
    if kinds == _ALL:
        return f"retry({retry.count + 1})"
    if kinds == _ONLY_SYSTEM:
        return f"retry(count: {retry.count + 1}, conditions: [agent(), nonresumable()])"
    return f"tryAgain({retry.count}, {_words(sorted(kind.value for kind in kinds))})"


def _allowed(allowed: AllowFailure) -> str:
    if allowed.exit_codes:
        return f"allowExitCodes([{', '.join(map(str, allowed.exit_codes))}])"
    # A build that is stopped is no failure of the stage.
    return "catchError(buildResult: 'SUCCESS', stageResult: 'UNSTABLE', catchInterruptions: false)"


def _words(words: Sequence[str]) -> str:
    return "['" + "', '".join(words) + "']"
