"""What a run does to the world outside of this machine, which nobody should do by accident."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Deploy, Job, Promote, PublishImage, Step, TriggerJob
from pipegen.source.text import Span
from pipegen.structs import Struct

_WORDS: dict[type[Step], str] = {PublishImage: "publishes", Promote: "promotes", Deploy: "deploys"}


class Effect(Struct):
    """A stage that needs somebody's word, and why; *span* is what says so."""

    stage: str
    why: str
    span: Span


def effects(jobs: Iterable[Job]) -> Iterator[Effect]:
    """Yield the *jobs* that reach outside of this machine, or wait for a person."""
    for job in jobs:
        step = next((one for one in job.steps if type(one) in _WORDS), None)
        if step is not None:
            yield Effect(job.stage, _WORDS[type(step)], job.span)
        elif job.deployment.environment is not None:
            yield Effect(job.stage, "deploys", job.deployment.environment.span)
        elif job.deployment.approval is not None:
            yield Effect(job.stage, "waits for a person", job.deployment.approval.span)


def refuse(found: tuple[Effect, ...], report: Report) -> None:
    """Report the effects *found*, since nobody is there who could be asked."""
    if found:
        told = ", ".join(f'"{one.stage}" {one.why}' for one in found)
        report.add(
            codes.NEEDS_PERMISSION,
            f"nobody is here to ask, and the run reaches outside of this machine: {told}",
            at=found[0].span,
            also=[Label(one.span) for one in found[1:4]],
            hint="allow all of it with --allow-effects, or run other stages with --stage",
        )


def tell_left_out(jobs: Iterable[Job], report: Report) -> None:
    """Tell what only an engine does: to start other jobs, to send mail."""
    for job in jobs:
        for step in job.steps:
            if isinstance(step, TriggerJob):
                report.add(
                    codes.NOT_DONE_HERE, f'"{step.name.value}" is not started: there is no engine here', at=step.span
                )
        if job.mail is not None:
            report.add(codes.NOT_DONE_HERE, f'no mail is sent when stage "{job.title}" fails here', at=job.mail.span)
