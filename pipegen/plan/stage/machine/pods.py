"""The pod that a stage runs in."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import JobImage, Pod, PodContainer
from pipegen.plan.stage.machine.images import image, image_name
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Mapping, Node, child, items_of, written_text


def image_and_pod(stage: StageConfig, directory: str, values: StageValues) -> tuple[JobImage | None, Pod | None]:
    """Return the image of *stage*, also if its pod names it, and the pod; contradictions are reported."""
    body = _body(stage)
    if body is None or stage.agent is None:
        return image(stage, directory, values), None
    own, named = image(stage, directory, values), body.get("image")
    pod = Pod(
        containers=tuple(_container(item) for item in items_of(body.get("containers")) if isinstance(item, Mapping)),
        manifest=written_text(body.get("yaml")),
        container=written_text(body.get("container")),
        cloud=written_text(body.get("cloud")),
        namespace=written_text(body.get("namespace")),
        span=stage.agent.span,
    )
    if named is not None and own is not None:
        _refuse(named, "the stage already has an image", "remove one of the two images", values.report, own)
    if named is not None:
        own = JobImage(name=image_name(named, values), span=named.span)
    _check(pod, body, own, values.report)
    return own, pod


def labels_node(stage: StageConfig) -> Node | None:
    """Return the labels in `agent` of *stage*."""
    node = stage.agent.node if stage.agent is not None else None
    return node.get("labels") if isinstance(node, Mapping) else node


def _body(stage: StageConfig) -> Mapping | None:
    node = stage.agent.node if stage.agent is not None else None
    body = child(node, "kubernetes")
    return body if isinstance(body, Mapping) else None


def _check(pod: Pod, body: Mapping, own: JobImage | None, report: Report) -> None:
    """Report a pod without the container of its script, or with contradictions."""
    manifest, container = body.get("yaml"), body.get("container")
    if own is not None and own.file is not None:
        hint = "build the image in another pipeline, and name it"
        report.add(codes.INVALID_VALUE, "a pod does not build the image of its stage", at=own.span, hint=hint)
    if own is not None and own.name.constant is None:
        hint = "write out the name of the image"
        report.add(codes.INVALID_VALUE, "the image of a pod must be known before it starts", at=own.span, hint=hint)
    if manifest is not None and (own is not None or pod.containers):
        _refuse(manifest, "the manifest replaces the images of the pod", "move them to the manifest", report)
    if container is not None and own is not None:
        _refuse(container, "the script runs in the container of the image", 'remove "container"', report)
    elif (
        container is not None
        and manifest is None
        and pod.container not in {pod_container.name for pod_container in pod.containers}
    ):
        _refuse(container, f'the pod has no container "{pod.container}"', "name one of its containers", report)
    elif container is None and manifest is None and own is None:
        hint = 'add "image: maven:3.9"'
        report.add(codes.MISSING_KEY, "the pod has no container for the script", at=body.span, hint=hint)
    _check_names(items_of(body.get("containers")), report)


def _check_names(containers: Iterable[Node], report: Report) -> None:
    """Report *containers* of the same name, which Kubernetes refuses."""
    spans: dict[str, Span] = {}
    for container in containers:
        name = child(container, "name")
        if name is None:
            continue
        text = written_text(name)
        if text in spans:
            report.add(
                codes.INVALID_VALUE,
                f'two containers of the pod have the name "{text}"',
                at=name.span,
                related=[Label(spans[text], "the other container")],
                hint="rename one of them",
            )
        spans.setdefault(text, name.span)


def _refuse(node: Node, message: str, hint: str, report: Report, other: JobImage | None = None) -> None:
    related = [Label(other.span, "the other image")] if other is not None else []
    report.add(codes.INVALID_VALUE, message, at=node.span, related=related, hint=hint)


def _container(node: Mapping) -> PodContainer:
    env = node.get("env")
    return PodContainer(
        name=written_text(node.get("name")),
        image=written_text(node.get("image")),
        command=tuple(written_text(item) for item in items_of(node.get("command"))),
        env=tuple((entry.key.text, written_text(entry.value)) for entry in env.entries)
        if isinstance(env, Mapping)
        else (),
    )
