"""A stage's steps, with PipelineLib's defaults."""

from __future__ import annotations

from posixpath import normpath

from pipegen.bindings.expression import Expression, Map, Scope, Text
from pipegen.bindings.names import END, before, in_tag
from pipegen.config import model as config
from pipegen.digests import digest_of
from pipegen.plan.forwarding import is_forwarded
from pipegen.plan.model import (
    BlubberInline,
    BlubberPath,
    BuildImage,
    Container,
    Copy,
    CopyFile,
    Deploy,
    Export,
    Image,
    PipelineFile,
    Promote,
    Promotion,
    PublishImage,
    RunContainer,
    Step,
    TriggerJob,
)
from pipegen.plan.stage.checks import (
    check_child,
    check_image_id,
    check_image_name,
    check_local_context,
    check_tag,
    check_variable,
    is_local,
    relative_path,
)
from pipegen.plan.stage.commands import commands
from pipegen.plan.stage.credentials import credentials
from pipegen.plan.values import StageValues
from pipegen.source.text import Span
from pipegen.source.tree import Node, Scalar
from pipegen.structs import replace

IMAGE_ID = "${.imageID}"
CONTAINER = "${.container}"
_OWN_NAME = "${.stage}"


def steps(
    stage: config.StageConfig, pipeline: config.PipelineConfig, values: StageValues, *, is_certain: bool
) -> tuple[tuple[Step, ...], StageValues]:
    """Return the steps of *stage* in PipelineLib's order, and the values that can be read after them.

    Each step can read outputs of the ones before it; *is_certain* says that the stage binds its outputs in every run.
    """

    def at(step: str) -> StageValues:
        return values.at(before(step))

    stage_steps: list[Step | None] = [
        commands(stage, at("script")),
        _build(stage.build, _own_file(stage, pipeline), at("build")) if stage.build else None,
        _run(stage.run, at("run")) if stage.run else None,
        _copy(stage.copy, at("copy")) if stage.copy else None,
        _publish(stage.publish, at("publish")) if stage.publish else None,
        _promote(stage.promote, at("promote")) if stage.promote else None,
        _deploy(stage.deploy, at("deploy")) if stage.deploy else None,
    ]
    for number, (name, node) in enumerate(stage.exports):
        now = values.at(before("exports", number))
        export = Export(name=name.value, value=now.as_text(now.value(node)), span=name.span)
        # Readers of a forwarded export read its parts directly, so the stage needs no step for it.
        if is_forwarded(export, is_certain=is_certain):
            values = values.after_export(export.name, export.value)
        else:
            stage_steps.append(export)
    values = values.at(END)
    stage_steps.append(_trigger(stage.trigger, values) if stage.trigger else None)
    return tuple([step for step in stage_steps if step is not None]), values


def _own_file(stage: config.StageConfig, pipeline: config.PipelineConfig) -> Node:
    """Return the blubberfile of *stage*, or the one of its *pipeline*."""
    default = Scalar(f"{pipeline.name.value}/blubber.yaml", stage.name.span)
    return stage.blubberfile or pipeline.blubberfile or default


def _build(build: config.BuildStep, blubberfile: Node, values: StageValues) -> BuildImage:
    context = values.text(build.context, ".", build.span)
    excludes = values.items(build.excludes, values.as_text) if build.excludes else None
    check_local_context(context, build, values.report)
    return BuildImage(
        blubberfile=_blubberfile(blubberfile, values),
        variant=_variant(build, values),
        context=context,
        has_local_context=is_local(context),
        excludes=excludes,
        pull=values.text(build.pull_policy, "always", build.span),
        span=build.span,
    )


def _variant(build: config.BuildStep, values: StageValues) -> Text:
    """Return the variant to build; the default is the stage's name, which its combinations share."""
    if isinstance(build.variant, Scalar) and build.variant.text in ("", _OWN_NAME):
        return Text((values.stage.display_name,), build.variant.span)
    return (
        values.text(build.variant, "", build.span) if build.variant else Text((values.stage.display_name,), build.span)
    )


def _tag_name(values: StageValues) -> str:
    """Return the part of a tag that is unique to the stage; a combination's name may contain invalid characters."""
    stage = values.stage
    if stage.combination is None:
        return _OWN_NAME
    name = in_tag(stage.own_name)
    is_alone = values.reader.namespaces.tags[name.lower()] == 1
    return name if is_alone else f"{name}-{digest_of(stage.own_name, 8)}"


def _blubberfile(node: Node, values: StageValues) -> BlubberPath | BlubberInline:
    value = values.value(node)
    if isinstance(value, Map):
        return BlubberInline(value)
    return BlubberPath(values.as_text(value))


def _run(run: config.RunStep, values: StageValues) -> RunContainer:
    env = values.map(run.env, run.span)
    for name, _ in env.entries:
        check_variable(name, values.report)
    return RunContainer(
        image=_image(run.image, run.span, values),
        arguments=values.items(run.arguments, values.as_text),
        env=tuple((name, values.as_text(value)) for name, value in env.entries),
        credentials=credentials(run.credentials, values),
        tail=run.tail,
        span=run.span,
    )


def _image(node: Node | None, span: Span, values: StageValues) -> Image:
    image = values.text(node, IMAGE_ID, span)
    check_image_id(image, values.report)
    reference = image.reference
    if reference is not None and _producer(image, "imageLocalName", values):
        # The same image under its other name; every engine can look up the ID.
        image = replace(image, parts=(replace(reference, name="imageID"),))
    return Image(image, _producer(image, "imageID", values))


def _producer(value: Text, name: str, values: StageValues) -> str | None:
    """Return the stage one of whose steps binds *name*, if that is all of the text."""
    reference = value.reference
    if reference is None or reference.name != name or reference.scope not in (Scope.OWN, Scope.STAGE):
        return None
    return None if values.is_declared(reference) else reference.namespace


def _copy(copy: config.StepValue, values: StageValues) -> Copy:
    return Copy(files=values.items(copy.node, lambda item: _copy_file(item, copy.span, values)), span=copy.span)


def _copy_file(item: Expression, span: Span, values: StageValues) -> CopyFile:
    entry = item if isinstance(item, Map) else Map(((Text(("source",), span), values.as_text(item)),), span)
    source = values.as_text(entry.get("source") or Text((), span))
    destination = values.as_text(_non_empty(entry, "destination") or source)
    container = values.as_text(image) if (image := _non_empty(entry, "from")) else values.text(None, CONTAINER, span)
    archive = entry.get("archive")
    return CopyFile(
        container=Container(container, _producer(container, "container", values)),
        source=source,
        destination=relative_path(destination, values.report),
        archive=getattr(archive, "value", False) is True,
    )


def _non_empty(entry: Map, key: str) -> Expression | None:
    """Return the value of *key*; None for empty text, which PipelineLib replaces with the default."""
    value = entry.get(key)
    return None if isinstance(value, Text) and not value.parts else value


def _publish(publish: config.PublishStep, values: StageValues) -> PublishImage:
    step = PublishImage(
        image=_image(publish.id, publish.span, values),
        name=values.text(publish.name, "${setup.project}", publish.span),
        tag=values.text(publish.tag, f"${{setup.timestamp}}-{_tag_name(values)}", publish.span),
        tags=values.items(publish.tags, values.as_text)
        if publish.tags
        else (values.text(None, "${setup.tag}", publish.span),),
        span=publish.span,
    )
    check_image_name(step.name, values.report)
    for tag in (step.tag, *step.tags):
        check_tag(tag, values.report)
    return step


def _promote(promote: config.StepValue, values: StageValues) -> Promote:
    span = promote.span
    if isinstance(promote.node, Scalar):
        return Promote(charts=(_promotion(Map((), span), span, values),), span=span)
    charts = values.items(promote.node, lambda item: _promotion(values.as_map(item), span, values))
    return Promote(charts=charts, span=span)


def _promotion(entry: Map, span: Span, values: StageValues) -> Promotion:
    chart, environments, version = _non_empty(entry, "chart"), entry.get("environments"), _non_empty(entry, "version")
    return Promotion(
        chart=values.as_text(chart) if chart else values.text(None, "${setup.projectShortName}", span),
        environments=values.as_items(environments, values.as_text) if environments else (),
        version=values.as_text(version) if version else values.text(None, "${.imageTag}", span),
    )


def _deploy(deploy: config.DeployStep, values: StageValues) -> Deploy:
    return Deploy(
        image=values.text(deploy.image, "${.imageName}", deploy.span),
        tag=values.text(deploy.tag, "${.imageTag}", deploy.span),
        chart=values.text(deploy.chart_name, "${setup.projectShortName}", deploy.span),
        version=values.text(deploy.chart_version, "", deploy.span),
        test=deploy.test,
        timeout=values.text(deploy.timeout, "", deploy.span) if deploy.timeout else None,
        overrides=values.map(deploy.overrides, deploy.span),
        span=deploy.span,
    )


def _trigger(trigger: config.TriggerStep, values: StageValues) -> TriggerJob:
    check_child(trigger, values.report)
    return TriggerJob(
        name=trigger.include[0].path if trigger.include else trigger.name,
        include=tuple(
            PipelineFile(normpath(file.path.value), f"{values.stage.within}{file.stage.value}")
            if file.stage is not None
            else PipelineFile(file.path.value)
            for file in trigger.include
        ),
        forward=trigger.forward,
        parameters=tuple((name.value, values.as_text(values.value(node))) for name, node in trigger.parameters),
        propagate=trigger.propagate,
        wait=trigger.wait,
        span=trigger.span,
    )
