"""Parses the tree to the model; the tree is valid, and templates and defaults are expanded."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as TypingMapping
from typing import TypeAlias

from pipegen.config.keys import STAGE_KEYS
from pipegen.config.model import (
    Arc,
    BuildStep,
    Config,
    DeployStep,
    Email,
    Fetch,
    PipelineConfig,
    PublishStep,
    RunStep,
    StageConfig,
    StageName,
    StepValue,
    TriggerFile,
    TriggerStep,
)
from pipegen.config.notifications import with_webhooks
from pipegen.config.schema.violation import Path
from pipegen.source.text import Located, SourceFile, Span
from pipegen.source.tree import (
    Entry,
    Mapping,
    Node,
    Scalar,
    ScalarKind,
    Sequence,
    as_items,
    is_empty,
    is_false,
    items_of,
    located_text,
)
from pipegen.structs import replace

Templates: TypeAlias = "TypingMapping[Path, tuple[str, ...]]"

_NOWHERE = Span(SourceFile("", ""), 0, 0)
_NO_MAPPING = Mapping((), _NOWHERE)


def parse(tree: Node, file: SourceFile, templates: Templates) -> Config:
    """Return the config in *tree*, which is valid against the schema; *templates* are those of stages, by path."""
    top = _mapping(tree)
    return Config(
        file=file,
        pipelines=tuple(_pipeline(entry, templates) for entry in _mapping(top.get("pipelines")).entries),
        inputs=_named(top.get("inputs")),
        targets=tuple((entry.key.located(), _mapping(entry.value)) for entry in _mapping(top.get("targets")).entries),
    )


def _pipeline(entry: Entry, templates: Templates) -> PipelineConfig:
    body = _mapping(entry.value)
    final = body.get("finally")
    path, items = ("pipelines", entry.key.text, "stages"), items_of(body.get("stages"))
    stages = tuple(_stage(_mapping(item), templates.get((*path, index), ())) for index, item in enumerate(items))
    stages = _with_statuses(stages, final)
    pipeline = PipelineConfig(
        name=entry.key.located(),
        stages=stages,
        arcs=_arcs(body.get("execution"), frozenset(stage.name.value for stage in stages)),
        blubberfile=_non_empty(body, "blubberfile"),
        directory=located_text(_non_empty(body, "directory")),
        fetch=_fetch(body.get("fetch")),
        email=_email(body.get("notify")),
        workspace=located_text(body.get("workspace")),
        when=_value(body.entry("when")),
        schedule=_value(body.entry("schedule")),
        concurrency=_value(body.entry("concurrency")),
        fail_fast=_value(body.entry("fail_fast")),
        timeout=_value(body.entry("timeout")),
        finally_=_final(body.entry("finally")),
    )
    return with_webhooks(pipeline, body.get("notify"))


def _final(entry: Entry | None) -> StepValue | None:
    """Return the finally stages in *entry* as one list."""
    if entry is None or not isinstance(entry.value, Mapping):
        return _value(entry)
    names = tuple(item for names in entry.value.entries for item in items_of(names.value))
    return StepValue(Sequence(names, entry.value.span), entry.key.span)


def _with_statuses(stages: tuple[StageConfig, ...], final: Node | None) -> tuple[StageConfig, ...]:
    """Return *stages*, those of *final* with the status of the pipeline for which they run, if it names one."""
    if not isinstance(final, Mapping):
        return stages
    status_of = {
        _scalar(item).text: entry.key.text
        for entry in final.entries
        if entry.key.text != "always"
        for item in items_of(entry.value)
    }
    return tuple(replace(stage, on_status=status_of.get(stage.name.value, "")) for stage in stages)


def _arcs(node: Node | None, stages: frozenset[str]) -> tuple[Arc, ...] | None:
    """Return the arcs between *stages*; None if no arc names a stage, as without `execution`."""
    arcs = tuple([Arc(tuple([_group(item, stages) for item in items_of(arc)]), arc.span) for arc in items_of(node)])
    return arcs if any(any(arc.groups) for arc in arcs) else None


def _group(node: Node, stages: frozenset[str]) -> tuple[StageName, ...]:
    """Return the stages of a group: one name, or a list of names."""
    if type(node) is Scalar and node.text in stages:
        return (StageName(node.text, node.span),)
    names = map(_text, as_items(node))
    return tuple([StageName.read(name, is_whole=name.value in stages) for name in names])


def _fetch(node: Node | None) -> Fetch | None:
    if node is None:
        return None
    settings = {entry.key.text: _scalar(entry.value).value for entry in _mapping(node).entries}
    return Fetch(**settings)  # type: ignore[arg-type] # the schema knows the keys and their types


def _stage(body: Mapping, templates: tuple[str, ...]) -> StageConfig:
    # Iterates over the keys: most stages have few.
    fields: dict[str, object] = {"name": Located("", _NOWHERE)}
    for entry in body.entries:
        key = entry.key.text
        if key in _VALUES:
            fields[key] = StepValue(entry.value, entry.key.span)
        elif key in _READERS:
            field, read = _READERS[key]
            fields[field] = read(entry)
    return StageConfig(body=body, templates=templates, **fields)  # type: ignore[arg-type] # the readers know the types


def _build(stage_entry: Entry) -> BuildStep | None:
    entry = _enabled(stage_entry)
    if entry is None:
        return None
    if not isinstance(entry.value, Mapping) or entry.value.entry("$merge"):
        return BuildStep(variant=entry.value, span=entry.key.span)
    body = entry.value
    return BuildStep(
        variant=body.get("variant"),
        context=body.get("context"),
        excludes=_non_empty(body, "excludes"),
        pull_policy=body.get("imagePullPolicy"),
        span=entry.key.span,
    )


def _run(stage_entry: Entry) -> RunStep | None:
    entry = _enabled(stage_entry)
    if entry is None:
        return None
    body = _mapping(entry.value)
    tail = body.get("tail")
    return RunStep(
        image=body.get("image"),
        arguments=body.get("arguments"),
        env=body.get("env"),
        credentials=body.get("credentials"),
        tail=int(_scalar(tail).value or 0) if tail else 0,
        span=entry.key.span,
    )


def _publish(stage_entry: Entry) -> PublishStep | None:
    entry = _enabled(_mapping(stage_entry.value).entry("image"))
    if entry is None:
        return None
    body = _mapping(entry.value)
    return PublishStep(
        id=body.get("id"),
        name=body.get("name"),
        tag=body.get("tag"),
        tags=_non_empty(body, "tags"),
        span=entry.key.span,
    )


def _deploy(stage_entry: Entry) -> DeployStep | None:
    entry = _enabled(stage_entry)
    if entry is None:
        return None
    body = _mapping(entry.value)
    chart = _mapping(body.get("chart"))
    test = body.get("test")
    return DeployStep(
        image=body.get("image"),
        tag=body.get("tag"),
        chart_name=chart.get("name"),
        chart_version=chart.get("version"),
        test=test is None or not is_false(test),
        timeout=_timeout(body.get("timeout")),
        overrides=body.get("overrides"),
        span=entry.key.span,
    )


def _timeout(node: Node | None) -> Node | None:
    """Return the timeout of a deployment; None for 0, which is the default as in PipelineLib."""
    return None if isinstance(node, Scalar) and node.kind is ScalarKind.INTEGER and node.value == 0 else node


def _trigger(entry: Entry) -> TriggerStep | None:
    body = _mapping(entry.value)
    files = map(_trigger_file, as_items(body.get("include")))
    include = tuple(file for file in files if file is not None)
    if _non_empty(body, "name") is None and not include:
        return None
    propagate, wait, forward = body.get("propagate"), body.get("wait"), body.get("forward")
    return TriggerStep(
        name=_text(body.get("name")),
        include=include,
        forward=forward is not None and not is_false(forward),
        parameters=_named(body.get("parameters")),
        propagate=propagate is None or not is_false(propagate),
        wait=wait is not None and not is_false(wait),
        span=entry.key.span,
    )


def _trigger_file(item: Node | None) -> TriggerFile | None:
    if isinstance(item, Mapping):
        return TriggerFile(_text(item.get("artifact")), _text(item.get("stage")))
    return TriggerFile(item.located()) if isinstance(item, Scalar) else None


def _email(node: Node | None) -> Email | None:
    entry = _enabled(_mapping(node).entry("email"))
    if entry is None:
        return None
    body = _mapping(entry.value)
    return Email(to=body.get("to"), subject=body.get("subject"), body=body.get("body"), span=entry.key.span)


def _value(entry: Entry | None) -> StepValue | None:
    return StepValue(entry.value, entry.key.span) if entry is not None else None


def _named(node: Node | None) -> tuple[tuple[Located[str], Node], ...]:
    return tuple((entry.key.located(), entry.value) for entry in _mapping(node).entries)


def _enabled(entry: Entry | None) -> Entry | None:
    """Return *entry*; None if its value is false or empty, as in PipelineLib."""
    return None if entry is None or is_false(entry.value) or is_empty(entry.value) else entry


def _non_empty(body: Mapping, key: str) -> Node | None:
    """Return the value of *key*; None if it is empty: PipelineLib then uses the default."""
    node = body.get(key)
    return None if node is None or is_empty(node) else node


def _mapping(node: Node | None) -> Mapping:
    if node is None:
        return _NO_MAPPING
    return node if isinstance(node, Mapping) else Mapping((), node.span)


def _scalar(node: Node) -> Scalar:
    return node if isinstance(node, Scalar) else Scalar("", node.span)


def _text(node: Node | None) -> Located[str]:
    return node.located() if isinstance(node, Scalar) else Located("", _nowhere(node))


# Keys of a stage with a value that is parsed here: the field of the model, and the function.
_READERS: dict[str, tuple[str, Callable[[Entry], object]]] = {
    "name": ("name", lambda entry: _text(entry.value)),
    "directory": ("directory", lambda entry: located_text(entry.value)),
    "shell": ("shell", lambda entry: located_text(entry.value)),
    "blubberfile": ("blubberfile", lambda entry: None if is_empty(entry.value) else entry.value),
    "build": ("build", _build),
    "run": ("run", _run),
    "copy": ("copy", lambda entry: _value(_enabled(entry))),
    "publish": ("publish", _publish),
    "promote": ("promote", lambda entry: _value(_enabled(entry))),
    "deploy": ("deploy", _deploy),
    "exports": ("exports", lambda entry: _named(entry.value)),
    "trigger": ("trigger", _trigger),
    "notify": ("email", lambda entry: _email(entry.value)),
}
# Keys without a field: templates are resolved before, and descriptions are for people.
_RESOLVED = ("extends", "description")
# Keys of a stage whose value is not interpreted here.
_VALUES = frozenset(key.name for key in STAGE_KEYS).difference(_READERS, _RESOLVED)


def _nowhere(node: Node | None) -> Span:
    return node.span if node is not None else _NOWHERE
