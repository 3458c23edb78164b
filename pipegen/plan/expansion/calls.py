"""Stages that run another pipeline of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from pipegen.config.keys import PIPELINE_KEYS, STAGE_KEYS
from pipegen.config.model import Config, PipelineConfig, StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.graph.execution import ExecutionGraph
from pipegen.source.text import Located, Span
from pipegen.source.tree import located_text, plain

# The fields of keys that are not named like them.
_FIELDS = {"notify": "email", "finally": "finally_"}


def called(stage: StageConfig) -> Located[str] | None:
    """Return the name of the pipeline that *stage* runs, or None."""
    return located_text(stage.pipeline.node) if stage.pipeline is not None else None


def with_called(chosen: Sequence[PipelineConfig], config: Config, report: Report) -> tuple[PipelineConfig, ...]:
    """Return the pipelines *chosen* and all that they call, each after the ones that it calls.

    Invalid calls are reported.
    """
    if all(stage.pipeline is None for pipeline in chosen for stage in pipeline.stages):
        return tuple(chosen)
    by_name = {pipeline.name.value: pipeline for pipeline in reversed(config.pipelines)}
    reached = _reached(chosen, by_name, report)
    calls = {(call.value, caller): call for caller, call in _calls(reached, by_name)}
    graph = ExecutionGraph([*((name,) for name in reached), *calls])
    cycles = graph.cycles()
    for cycle in cycles:
        path = cycle[::-1]
        spans = [calls[callee, caller].span for caller, callee in pairwise(path)]
        report.add(
            codes.CALLS_ITSELF,
            f"a pipeline calls itself: {' -> '.join(path)}",
            at=spans[0],
            label="called here",
            related=[Label(span, "and here") for span in spans[1:]],
            hint="remove one of these stages",
        )
    for pipeline in reached.values():
        for stage in pipeline.stages:
            _check_call(stage, pipeline, by_name, report)
    if cycles:
        return ()
    return tuple(reached[name] for name in graph.topological())


def _reached(
    chosen: Sequence[PipelineConfig], by_name: Mapping[str, PipelineConfig], report: Report
) -> dict[str, PipelineConfig]:
    pipelines = {pipeline.name.value: pipeline for pipeline in chosen}
    waiting = list(chosen)
    while waiting:
        pipeline = waiting.pop(0)
        for stage in pipeline.stages:
            name = called(stage)
            if name is None or name.value in pipelines:
                continue
            if name.value not in by_name:
                _report_unknown(name, stage, by_name, report)
                continue
            pipelines[name.value] = by_name[name.value]
            waiting.append(by_name[name.value])
    return pipelines


def _calls(
    reached: Mapping[str, PipelineConfig], by_name: Mapping[str, PipelineConfig]
) -> Iterator[tuple[str, Located[str]]]:
    """Yield each caller with the name of the pipeline that it calls."""
    for caller, pipeline in reached.items():
        for stage in pipeline.stages:
            name = called(stage)
            if name is not None and name.value in by_name:
                yield caller, name


def _check_call(
    stage: StageConfig, caller: PipelineConfig, by_name: Mapping[str, PipelineConfig], report: Report
) -> None:
    name = called(stage)
    if name is None:
        return
    for key, span in _other_keys(stage):
        report.add(
            codes.BESIDE_PIPELINE,
            f'"{key}" has no effect on stage "{stage.display_name}", which runs pipeline "{name.value}"',
            at=span,
            related=[Label(stage.pipeline.span, "runs another pipeline")] if stage.pipeline is not None else [],
            hint=f'move it to the stages of "{name.value}", or into the "defaults" of that pipeline',
        )
    callee = by_name.get(name.value)
    if callee is None:
        return
    if not callee.stages:
        report.add(
            codes.CALLS_NOTHING,
            f'stage "{stage.display_name}" runs pipeline "{name.value}", which has no stages',
            at=name.span,
            related=[Label(callee.name.span, "has no stages")],
            hint=f'give "{name.value}" a stage, or remove stage "{stage.display_name}"',
        )
    for key in (key.name for key in PIPELINE_KEYS if key.is_for_run):
        field = _FIELDS.get(key, key)
        value = getattr(callee, field)
        if value is not None and _content(value) != _content(getattr(caller, field)):
            report.add(
                codes.CALLED_PIPELINE,
                f'pipeline "{name.value}" has "{key}", which applies to a whole run: '
                f'it cannot run in place of a stage of "{caller.name.value}"',
                at=name.span,
                related=[Label(_span(value, callee), f'has "{key}"')],
                hint=f'set "{key}" only in "{caller.name.value}"'
                if key == "finally"
                else f'set the same in "{caller.name.value}", or remove it from "{name.value}"',
            )


def _other_keys(stage: StageConfig) -> Iterator[tuple[str, Span]]:
    for key in (key.name for key in STAGE_KEYS if not key.is_for_calls):
        value = getattr(stage, _FIELDS.get(key, key), None)
        if value:
            first = value[0][0] if isinstance(value, tuple) else value
            yield key, first.span


def _content(value: object) -> object:
    """Return the value of a pipeline's key, without its span."""
    match value:
        case StepValue():
            return plain(value.node)
        case Located():
            return value.value
    return value


def _span(value: object, pipeline: PipelineConfig) -> Span:
    return value.span if isinstance(value, StepValue | Located) else pipeline.name.span


def _report_unknown(
    name: Located[str], stage: StageConfig, by_name: Mapping[str, PipelineConfig], report: Report
) -> None:
    similar = suggestion(name.value, by_name)
    names = [*by_name][::-1]  # as in the file: of pipelines with one name, the first counts
    report.add(
        codes.UNKNOWN_PIPELINE,
        f'stage "{stage.display_name}" runs pipeline "{name.value}", which is not defined',
        at=name.span,
        label="no such pipeline",
        related=[Label(by_name[similar].name.span, "did you mean this one?")] if similar else [],
        hint=f'rename it to "{similar}"' if similar else f"the pipelines are {listed(names)}",
    )
