"""Stages in pods, by the plugin Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.emit.groovy import literal
from pipegen.emit.yaml import Data, write
from pipegen.numbering import unique_name
from pipegen.plan.model import Job, Machine, Plan, Pod, PodContainer, Pull, TriggerJob
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.stages.plugin_steps import needs_agent

_PLUGIN = "kubernetes"
_MAIN = "main"
# The plugin runs the agent in the container of this name; it must keep the command of its image.
_AGENT = "jnlp"
# Another container that scripts run in must not end.
_WAITS: tuple[str, ...] = ("sleep", "infinity")


def pod_of(named: NamedJob) -> model.PodAgent | None:
    """Return the pod that a stage runs in, None if it runs on an agent."""
    return None if named.is_pinned else _pod_of(named.job)


def shared_pod(plan: Plan) -> model.PodAgent | None:
    """Return the pod of all stages in the workspace of *plan*, None if they run on an agent."""
    return next(filter(None, map(_pod_of, plan.jobs)), None)


def with_shared_pod(plan: Plan, report: Report) -> Plan:
    """Return *plan*, whose stages share a workspace, without pods unless all work is in the same one.

    Stages without work on an agent, such as triggers, have no pod in any case. Pods that are left out are reported.
    """
    working = [job for job in plan.jobs if not {*map(type, job.steps)} <= {TriggerJob} or needs_agent(job)]
    pods = {_pod_of(job) for job in working}
    sharing = {job.stage for job in working} if len(pods) == 1 else set[str]()
    for job in working:
        if job.machine.pod is not None and job.stage not in sharing:
            report.add(
                codes.MACHINE_LEFT_OUT,
                f'on Jenkins, stage "{job.title}" runs on an agent: stages that share a workspace have one pod, '
                "or none",
                at=job.machine.pod.span,
                hint="write the same pod for all stages; only its container may differ",
            )
    jobs = (job if job.stage in sharing else replace(job, machine=replace(job.machine, pod=None)) for job in plan.jobs)
    return replace(plan, jobs=tuple(jobs))


def _pod_of(job: Job) -> model.PodAgent | None:
    pod = job.machine.pod
    if pod is None:
        return None
    manifest = pod.manifest or _manifest(pod, job.machine)
    options = (("cloud", pod.cloud), ("namespace", pod.namespace), ("yaml", manifest))
    return model.PodAgent(tuple((name, text) for name, text in options if text))


def in_container(pod: Pod, step: model.Step) -> model.Step:
    """Return *step*, the script of a stage, in its container of *pod*."""
    if not pod.container and pod.manifest:
        return step
    return model.Wrapped(f"container({literal(pod.container or _main_name(pod))})", (step,), _PLUGIN)


def check_pod(job: Job, report: Report) -> None:
    """Report keys of the machine of *job* that have no effect in a pod."""
    machine = job.machine
    if machine.pod is None:
        return
    if machine.services:
        report.add(
            codes.SERVICES_WITHOUT_IMAGE,
            f'on Jenkins, services of stage "{job.title}" are containers of its pod',
            at=machine.services[0].span,
            hint='move them to "containers" of the pod, where they are reachable as localhost',
        )
    image = machine.image
    if image is not None and (image.args or image.credentials is not None):
        report.add(
            codes.MACHINE_LEFT_OUT,
            "on Jenkins, options and the login of an image have no effect in a pod",
            at=image.span,
            hint='write a manifest in "yaml", with imagePullSecrets',
        )


def _manifest(pod: Pod, machine: Machine) -> str:
    """Return the manifest of *pod* with the image and the resources of *machine*."""
    containers: list[Data] = []
    if machine.image is not None:
        containers.append(dict(_main(machine, _main_name(pod))))
    containers += [dict(_container(container, is_main=container.name == pod.container)) for container in pod.containers]
    return write({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers}}, spaced=False)


def _main_name(pod: Pod) -> str:
    """Return a name for the container of the script that no other container of *pod* has."""
    return unique_name(_MAIN, {container.name for container in pod.containers})


def _main(machine: Machine, name: str) -> Iterator[tuple[str, Data]]:
    """Yield the keys of the container of the script, which has this *name*."""
    image, resources = machine.image, machine.resources
    yield "name", name
    yield "image", (image.name.constant or "") if image is not None else ""
    yield "command", list(_WAITS)
    if image is not None and image.pull is not None:
        yield "imagePullPolicy", {Pull.ALWAYS: "Always", Pull.NEVER: "Never"}.get(image.pull, "IfNotPresent")
    if image is not None and (image.user or "").isdecimal():
        yield "securityContext", {"runAsUser": int(image.user or "")}
    if resources is not None:
        amounts = {"requests": dict(resources.quantities), "limits": dict(resources.limits)}
        yield "resources", {key: value for key, value in amounts.items() if value}


def _container(container: PodContainer, *, is_main: bool) -> Iterator[tuple[str, Data]]:
    yield "name", container.name
    yield "image", container.image
    command = container.command or (_WAITS if is_main and container.name != _AGENT else ())
    if command:
        yield "command", list(command)
    if container.env:
        yield "env", [{"name": name, "value": value} for name, value in container.env]
