"""What a stage waits for beside the stages before it, and what it deploys to."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.config.model import PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.durations import seconds
from pipegen.plan.files.retention import names_at_start
from pipegen.plan.model import Approval, Delay, Deployment, Environment, Job, Lock
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind
from pipegen.source.tree import Sequence as List
from pipegen.structs import replace

# GitLab puts jobs off by no more than a week: https://docs.gitlab.com/ci/jobs/job_control/#run-a-job-after-a-delay
_LONGEST_DELAY = 7 * 86_400
NO_DEPLOYMENT = Deployment()


def deployment(stage: StageConfig, values: StageValues) -> Deployment:
    """Return what *stage* waits for and deploys to; what is wrong with it is reported."""
    if stage.approve is None and stage.lock is None and stage.environment is None:
        return NO_DEPLOYMENT
    approval, delay = _approval(stage.approve, values.report) if stage.approve else (None, None)
    return Deployment(
        approval=approval,
        delay=delay,
        locks=_locks(stage, values.report),
        environment=_environment(stage, values) if stage.environment else None,
    )


def check_finals(pipeline: PipelineConfig, report: Report) -> None:
    """Report stages of *pipeline* that run whatever happened, and yet wait for somebody."""
    node = pipeline.finally_.node if pipeline.finally_ else None
    final = {item.text for item in node.items if isinstance(item, Scalar)} if isinstance(node, List) else set()
    for stage in pipeline.stages:
        if stage.approve is not None and stage.name.value in final:
            report.add(
                codes.FINAL_STAGE_WAITS,
                f'stage "{stage.name.value}" runs once all others are done, so it cannot wait for an approval',
                at=stage.approve.span,
                hint='take "approve" away, or put the stage into an arc',
            )


def stopping(jobs: Sequence[Job], report: Report) -> tuple[Job, ...]:
    """Return *jobs*, each that takes an environment down with that environment."""
    if all(job.deployment is NO_DEPLOYMENT for job in jobs):
        return tuple(jobs)
    conditions = {job.stage: job.condition for job in jobs}
    taken_down: dict[str, Environment] = {}
    for job in jobs:
        one = job.deployment.environment
        if one is None or one.on_stop is None:
            continue
        taken_down[one.on_stop] = one
        if conditions[one.on_stop] != job.condition:
            report.add(
                codes.STOP_RUNS_ELSEWHERE,
                f'"{one.on_stop}" takes down what "{job.stage}" deploys, and runs under other conditions',
                at=one.span,
                hint='give both stages the same "when"',
            )
    return tuple(_stopping(job, taken_down[job.stage]) if job.stage in taken_down else job for job in jobs)


def _stopping(job: Job, environment: Environment) -> Job:
    own = job.deployment.environment or environment
    return replace(
        job,
        deployment=replace(
            job.deployment, environment=replace(own, name=environment.name, url=None, on_stop=None, stops=True)
        ),
    )


def _approval(given: StepValue, report: Report) -> tuple[Approval | None, Delay | None]:
    node, span = given.node, given.span
    if isinstance(node, Scalar):
        if node.kind is ScalarKind.BOOLEAN:
            return (Approval(message=None, span=span) if node.value is True else None), None
        return Approval(message=_message(node, report), span=span), None
    body = node if isinstance(node, Mapping) else Mapping((), span)
    approvers = body.entry("approvers")
    delay, message = body.get("delay"), body.get("message")
    if isinstance(delay, Scalar):
        if approvers is not None:
            report.add(
                codes.INVALID_VALUE,
                "nobody is asked where a stage starts by itself after a while",
                at=approvers.key.span,
                hint='leave out "approvers", or ask with a "message" in place of "delay"',
            )
        return None, Delay(_delay(delay, report), span)
    names = approvers.value if approvers is not None else None
    return (
        Approval(
            message=_message(message, report) if isinstance(message, Scalar) else None,
            approvers=tuple(dict.fromkeys(_names(names, report))),
            span=span,
        ),
        None,
    )


def _delay(node: Scalar, report: Report) -> int:
    found = seconds(node, report)
    if found > _LONGEST_DELAY:
        report.add(
            codes.INVALID_VALUE,
            "a stage is put off by a week at most",
            at=node.span,
            hint='ask a person, with "message", or run a pipeline by "schedule"',
        )
    return found


def _message(node: Scalar, report: Report) -> str:
    if not node.text.strip():
        hint = 'ask something, or say "approve: true"'
        report.add(codes.INVALID_VALUE, "the question is empty", at=node.span, hint=hint)
    return " ".join(node.text.split())


def _names(node: Node | None, report: Report) -> list[str]:
    found = []
    for item in node.items if isinstance(node, List) else ():
        if not isinstance(item, Scalar):
            continue
        if "," in item.text or not item.text.strip():
            report.add(
                codes.INVALID_VALUE, f'"{item.text}" is no name of a user or group', at=item.span, hint="one name each"
            )
        found.append(item.text.strip())
    return found


def _locks(stage: StageConfig, report: Report) -> tuple[Lock, ...]:
    """Return the locks of *stage*, each once."""
    if stage.lock is None:
        return ()
    node = stage.lock.node
    found: dict[str, Lock] = {}
    for item in node.items if isinstance(node, List) else (node,):
        if not isinstance(item, Scalar):
            continue
        if not item.text.strip():
            report.add(codes.INVALID_VALUE, "a lock has no name", at=item.span, hint="name what only one may use")
        found.setdefault(item.text, Lock(item.text, item.span))
    return tuple(found.values())


def _environment(stage: StageConfig, values: StageValues) -> Environment | None:
    if stage.environment is None:
        return None
    node, span = stage.environment.node, stage.environment.span
    is_map = isinstance(node, Mapping) and node.entry("name") is not None
    body = node if isinstance(node, Mapping) and is_map else None
    name = values.as_text(values.value(body.get("name") or node if body else node))
    url = body.get("url") if body else None
    on_stop = body.get("on_stop") if body else None
    if name.constant is not None and not name.constant.strip():
        values.report.add(codes.INVALID_VALUE, "an environment has no name", at=name.span, hint="give it one")
    return Environment(
        name=names_at_start(name, "the name of an environment", values.report),
        url=values.as_text(values.value(url)) if url is not None else None,
        on_stop=_on_stop(on_stop, stage, values) if isinstance(on_stop, Scalar) else None,
        span=span,
    )


def _on_stop(node: Scalar, stage: StageConfig, values: StageValues) -> str | None:
    """Return the stage that *node* names, which must come after *stage* and before none; else that is reported."""
    stages, own = values.reader.namespaces.stages, stage.name.value
    if any(one.combination is not None and one.combination.stage == node.text for one in stages.values()):
        # Which of its combinations is meant has been reported.
        return None
    if node.text not in stages:
        others = {name: one for name, one in stages.items() if name != own}
        otherwise = "add a stage that takes the environment down"
        report_unknown_stage('"on_stop"', node.located(), others, otherwise, values.report)
        return None
    order = values.reader.order
    later = [name for name in stages if node.text != name and _is_before(node.text, name, values)]
    if node.text == own or node.text not in order.places or own not in order.places or later:
        what = (
            "is the stage itself"
            if node.text == own
            else f'has stage "{later[0]}" after it'
            if later
            else "stands in no arc"
        )
    elif not _is_before(own, node.text, values):
        what = f'does not come after "{own}"'
    else:
        return node.text
    values.report.add(
        codes.STOP_STAGE_HAS_DEPENDENTS,
        f'"{node.text}" takes the environment down when a person says so, and {what}',
        at=node.span,
        also=[Label(stages[node.text].name.span, "this stage")],
        hint=f"let it come after the stage that deploys, and nothing after it: [{own}, {node.text}]",
    )
    return None


def _is_before(earlier: str, later: str, values: StageValues) -> bool:
    order = values.reader.order
    return earlier in order.places and later in order.places and order.is_before(earlier, later)
