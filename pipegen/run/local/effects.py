"""Effects of a run outside this machine, which need permission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Deploy, Job, Plan, Promote, PublishImage, Step, TriggerJob
from pipegen.source.text import Span
from pipegen.structs import Struct

_WORDS: dict[type[Step], str] = {PublishImage: "publishes", Promote: "promotes", Deploy: "deploys"}


class Effect(Struct):
    """A stage that needs permission, and why; *span* is the location of the cause."""

    stage: str
    why: str
    span: Span


def effects(jobs: Iterable[Job]) -> Iterator[Effect]:
    """Yield the *jobs* with effects outside this machine, with an approval, or with a condition in Groovy."""
    for job in jobs:
        step = next((step for step in job.steps if type(step) in _WORDS), None)
        if step is not None:
            yield Effect(job.stage, _WORDS[type(step)], job.span)
        elif job.deployment.environment is not None:
            environment = job.deployment.environment
            yield Effect(job.stage, "uses an environment" if environment.action else "deploys", environment.span)
        elif job.deployment.approval is not None:
            yield Effect(job.stage, "needs an approval", job.deployment.approval.span)
        elif job.groovy_condition is not None:
            yield Effect(job.stage, "has a condition that only Jenkins evaluates", job.groovy_condition.span)


def refuse(refused: tuple[Effect, ...], report: Report) -> None:
    """Report the *refused* effects, because there is no terminal to ask at."""
    if refused:
        stages = ", ".join(f'"{effect.stage}" {effect.why}' for effect in refused)
        report.add(
            codes.NEEDS_PERMISSION,
            f"the run has effects outside this machine, and there is no terminal to ask at: {stages}",
            at=refused[0].span,
            related=[Label(effect.span) for effect in refused[1:4]],
            hint="allow all effects with --allow-effects, or run other stages with --stage",
        )


def report_posts(plans: Iterable[Plan], report: Report) -> None:
    """Report webhooks of *plans*: a local run posts no messages."""
    for job in (job for plan in plans for job in plan.jobs if job.posts):
        report.add(codes.NOT_DONE_HERE, "a local run posts no message to a webhook", at=job.span)


def report_left_out(jobs: Iterable[Job], report: Report) -> None:
    """Report features that only engines support: starting other jobs and sending mail."""
    for job in jobs:
        for step in job.steps:
            if isinstance(step, TriggerJob):
                report.add(
                    codes.NOT_DONE_HERE, f'"{step.name.value}" is not started: a local run has no engine', at=step.span
                )
        if job.mail is not None:
            # One for all stages of a pipeline with `notify`: equal diagnostics are reported once.
            report.add(codes.NOT_DONE_HERE, "a local run sends no mail about failed stages", at=job.mail.span)
