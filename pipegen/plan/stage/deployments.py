"""The approvals, delays and locks that a stage waits for, and its environment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.plan.durations import seconds
from pipegen.plan.files.retention import known_at_start
from pipegen.plan.model import Deployment, Environment, Job, KubernetesCluster, Lock
from pipegen.plan.stage.approvals import approval
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, child, scalars_of, written_text
from pipegen.structs import replace

_NO_DEPLOYMENT = Deployment()


def deployment(stage: StageConfig, values: StageValues) -> Deployment:
    """Return the approval, delay, locks and environment of *stage*; errors in them are reported."""
    if stage.approve is None and stage.lock is None and stage.environment is None:
        return _NO_DEPLOYMENT
    approved, delay = approval(stage, values)
    return Deployment(
        approval=approved,
        delay=delay,
        locks=_locks(stage, values.report),
        environment=_environment(stage, values),
    )


def with_stop_environments(jobs: Sequence[Job], report: Report) -> tuple[Job, ...]:
    """Return *jobs*, each job that stops an environment with that environment."""
    if all(job.deployment is _NO_DEPLOYMENT for job in jobs):
        return tuple(jobs)
    conditions = {job.stage: job.condition for job in jobs}
    stopped: dict[str, Environment] = {}
    for job in jobs:
        environment = job.deployment.environment
        if environment is None or environment.on_stop is None:
            continue
        stopped[environment.on_stop] = environment
        if conditions[environment.on_stop] != job.condition:
            report.add(
                codes.STOP_RUNS_ELSEWHERE,
                f'"{environment.on_stop}" stops the environment of "{job.stage}" but runs under other conditions',
                at=environment.span,
                hint='give both stages the same "when"',
            )
    return tuple(_stopping(job, stopped[job.stage]) if job.stage in stopped else job for job in jobs)


def _stopping(job: Job, environment: Environment) -> Job:
    own = job.deployment.environment or environment
    return replace(
        job,
        deployment=replace(
            job.deployment,
            environment=replace(
                own, name=environment.name, url=None, on_stop=None, auto_stop_in=None, action="", stops=True
            ),
        ),
    )


def _locks(stage: StageConfig, report: Report) -> tuple[Lock, ...]:
    """Return the locks of *stage*, each once."""
    if stage.lock is None:
        return ()
    locks: dict[str, Lock] = {}
    for item in scalars_of(stage.lock.node):
        if not item.text.strip():
            report.add(
                codes.INVALID_VALUE,
                "a lock has no name",
                at=item.span,
                hint="name the resource that only one job may use",
            )
        locks.setdefault(item.text, Lock(item.text, item.span))
    return tuple(locks.values())


def _environment(stage: StageConfig, values: StageValues) -> Environment | None:
    if stage.environment is None:
        return None
    node, span = stage.environment.node, stage.environment.span
    name_node = child(node, "name")
    body = node if isinstance(node, Mapping) and name_node is not None else Mapping((), span)
    name = values.as_text(values.value(name_node or node))
    url, on_stop, auto_stop = map(body.get, ("url", "on_stop", "auto_stop_in"))
    _check_action(body, values.report)
    if name.constant is not None and not name.constant.strip() and not values.is_missing(name.span):
        values.report.add(codes.INVALID_VALUE, "an environment has no name", at=name.span, hint="give it one")
    return Environment(
        name=known_at_start(name, "the name of an environment", values.report),
        url=values.as_text(values.value(url)) if url is not None else None,
        on_stop=_on_stop(on_stop, stage, values) if isinstance(on_stop, Scalar) else None,
        auto_stop_in=seconds(auto_stop, values.report) if isinstance(auto_stop, Scalar) else None,
        tier=written_text(body.get("tier")),
        action=written_text(body.get("action")),
        kubernetes=_kubernetes(body.get("kubernetes"), values),
        span=span,
    )


def _kubernetes(node: Node | None, values: StageValues) -> KubernetesCluster | None:
    if not isinstance(node, Mapping):
        return None
    namespace = node.get("namespace")
    return KubernetesCluster(
        agent=written_text(node.get("agent")),
        namespace=known_at_start(values.as_text(values.value(namespace)), "the namespace", values.report)
        if namespace is not None
        else None,
    )


def _check_action(body: Mapping, report: Report) -> None:
    """Report a stop of an environment by a stage that does not deploy to it."""
    action = written_text(body.get("action"))
    for key in ("on_stop", *(("auto_stop_in",) if action == "verify" else ())):
        entry = body.entry(key)
        if action and entry is not None:
            report.add(
                codes.INVALID_VALUE,
                f'with "action: {action}", the stage does not deploy, so "{key}" has no effect',
                at=entry.key.span,
                hint=f'move "{key}" to the stage that deploys to the environment, or remove "action"',
            )


def _on_stop(node: Scalar, stage: StageConfig, values: StageValues) -> str | None:
    """Return the stage that *node* names, which must run after *stage* and be last; other stages are reported."""
    stages, own = values.reader.namespaces.stages, stage.name.value
    if any(
        candidate.combination is not None and f"{candidate.within}{candidate.combination.stage}" == node.text
        for candidate in stages.values()
    ):
        # An ambiguous combination has been reported.
        return None
    if node.text not in stages:
        others = {name: candidate for name, candidate in stages.items() if name != own}
        otherwise = "add a stage that stops the environment"
        report_unknown_stage('"on_stop"', node.located(), others, otherwise, values.report)
        return None
    problem = _stop_problem(node.text, own, stages, values.reader.order)
    if not problem:
        return node.text
    values.report.add(
        codes.STOP_STAGE_HAS_DEPENDENTS,
        f'"{node.text}" stops the environment when a person starts it, but it {problem}',
        at=node.span,
        related=[Label(stages[node.text].name.span, "this stage")],
        hint=f"run it after the stage that deploys, and no stage after it: [{own}, {node.text}]",
    )
    return None


def _stop_problem(stop: str, deploying: str, stages: Iterable[str], order: Closure) -> str:
    """Return why the stage *stop* cannot stop the environment of the stage *deploying*, "" if it can."""
    if stop == deploying:
        return "is the stage itself"
    for name in stages if stop in order.positions else ():
        if name in order.positions and order.is_before(stop, name):
            return f'runs before stage "{name}"'
    if stop not in order.positions or deploying not in order.positions:
        return "is in no arc"
    return "" if order.is_before(deploying, stop) else f'does not run after "{deploying}"'
