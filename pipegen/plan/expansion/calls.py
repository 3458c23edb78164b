"""Stages in whose place another pipeline of the file runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pipegen.config.model import Config, PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Located, Span
from pipegen.source.tree import Scalar, plain

# What a stage may say beside `pipeline`; a description is nowhere but in the file.
_ALLOWED = ("name", "body", "within", "combination", "pipeline", "when")
_KEYS = {"email": "notify", "finally_": "finally"}
# What holds for all of a run, so that a pipeline that runs in the place of a stage can only agree.
_OF_A_RUN = ("workspace", "fetch", "fail_fast", "concurrency", "schedule", "finally_")


def called(stage: StageConfig) -> Located[str] | None:
    """Return the name of the pipeline that runs in the place of *stage*."""
    node = stage.pipeline.node if stage.pipeline is not None else None
    return node.located() if isinstance(node, Scalar) else None


def with_called(chosen: Sequence[PipelineConfig], config: Config, report: Report) -> tuple[PipelineConfig, ...]:
    """Return the pipelines *chosen* and all that run in them, each after those that it calls.

    A call that cannot be is reported.
    """
    if all(stage.pipeline is None for pipeline in chosen for stage in pipeline.stages):
        return tuple(chosen)
    known = {pipeline.name.value: pipeline for pipeline in reversed(config.pipelines)}
    reached = _reached(chosen, known, report)
    calls = {(stage_call[0], name): stage_call[1] for name, stage_call in _calls(reached, known)}
    graph = ExecutionGraph([*((name,) for name in reached), *calls])
    cycles = graph.cycles()
    for cycle in cycles:
        way = cycle[::-1]
        spans = [calls[callee, caller].span for caller, callee in pairwise(way)]
        report.add(
            codes.CALLS_ITSELF,
            f"a pipeline would run in itself: {' -> '.join(way)}",
            at=spans[0],
            label="called here",
            also=[Label(span, "and here") for span in spans[1:]],
            hint="take one of these stages out",
        )
    for pipeline in reached.values():
        for stage in pipeline.stages:
            _check_call(stage, pipeline, known, report)
    if cycles:
        return ()
    return tuple(reached[name] for name in graph.topological())


def _reached(
    chosen: Sequence[PipelineConfig], known: Mapping[str, PipelineConfig], report: Report
) -> dict[str, PipelineConfig]:
    found = {pipeline.name.value: pipeline for pipeline in chosen}
    waiting = list(chosen)
    while waiting:
        pipeline = waiting.pop(0)
        for stage in pipeline.stages:
            name = called(stage)
            if name is None or name.value in found:
                continue
            if name.value not in known:
                _report_unknown(name, stage, known, report)
                continue
            found[name.value] = known[name.value]
            waiting.append(known[name.value])
    return found


def _calls(
    reached: Mapping[str, PipelineConfig], known: Mapping[str, PipelineConfig]
) -> Iterator[tuple[str, tuple[str, Located[str]]]]:
    """Yield each caller with what it calls: the name, and the place where it does."""
    for caller, pipeline in reached.items():
        for stage in pipeline.stages:
            name = called(stage)
            if name is not None and name.value in known:
                yield caller, (name.value, name)


def _check_call(
    stage: StageConfig, caller: PipelineConfig, known: Mapping[str, PipelineConfig], report: Report
) -> None:
    name = called(stage)
    if name is None:
        return
    for key, span in _beside(stage):
        report.add(
            codes.BESIDE_PIPELINE,
            f'"{key}" says nothing of stage "{stage.said}", in whose place pipeline "{name.value}" runs',
            at=span,
            also=[Label(stage.pipeline.span, "runs another pipeline")] if stage.pipeline is not None else [],
            hint=f'move it to the stages of "{name.value}", or into the "defaults" of that pipeline',
        )
    callee = known.get(name.value)
    if callee is None:
        return
    if not callee.stages:
        report.add(
            codes.CALLS_NOTHING,
            f'stage "{stage.said}" runs pipeline "{name.value}", which has no stages',
            at=name.span,
            also=[Label(callee.name.span, "has no stages")],
            hint=f'give "{name.value}" a stage, or remove stage "{stage.said}"',
        )
    for field in _OF_A_RUN:
        value = getattr(callee, field)
        if value is not None and _content(value) != _content(getattr(caller, field)):
            key = _KEYS.get(field, field)
            report.add(
                codes.CALLED_PIPELINE,
                f'pipeline "{name.value}" has "{key}", which holds for a whole run: '
                f'it cannot run in the place of a stage of "{caller.name.value}"',
                at=name.span,
                also=[Label(_place(value, callee), f'has "{key}"')],
                hint=f'say "{key}" in "{caller.name.value}" alone'
                if field == "finally_"
                else f'say the same in "{caller.name.value}", or take it out of "{name.value}"',
            )


def _beside(stage: StageConfig) -> Iterator[tuple[str, Span]]:
    for field in stage.__struct_fields__:
        value = getattr(stage, field)
        if field not in _ALLOWED and value:
            first = value[0][0] if isinstance(value, tuple) else value
            yield _KEYS.get(field, field), first.span


def _content(value: object) -> object:
    """Return what a key of a pipeline says, without its place."""
    match value:
        case StepValue():
            return plain(value.node)
        case Located():
            return value.value
    return value


def _place(value: object, pipeline: PipelineConfig) -> Span:
    return value.span if isinstance(value, StepValue | Located) else pipeline.name.span


def _report_unknown(
    name: Located[str], stage: StageConfig, known: Mapping[str, PipelineConfig], report: Report
) -> None:
    found = suggestion(name.value, known)
    report.add(
        codes.UNKNOWN_PIPELINE,
        f'stage "{stage.said}" runs pipeline "{name.value}", which is not defined',
        at=name.span,
        label="no such pipeline",
        also=[Label(known[found].name.span, "did you mean this one?")] if found else [],
        hint=f'rename it to "{found}"' if found else f"the pipelines are {listed(list(known))}",
    )
