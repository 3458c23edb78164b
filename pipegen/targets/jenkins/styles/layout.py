"""The choice of a style for a Jenkinsfile, and the layout of its stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.blocks import Block, ExtraWait, added_waits, blocks, direct_waits
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks
from pipegen.graph.paths import growth, longest_path
from pipegen.plan.model import Workspace
from pipegen.structs import Struct, replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.job.properties import (
    not_declarative,
    report_not_declarative,
    report_not_scripted,
    report_without_agent,
)
from pipegen.targets.jenkins.named_jobs import ScriptedPlans, names_by_key
from pipegen.targets.jenkins.pairs import SHARED_AND_OTHER_PIPELINES
from pipegen.targets.jenkins.size.depth import depth_notes, depth_of, report_depth
from pipegen.targets.jenkins.size.files import MOST_VARIABLES, FileFrame, weigh_declarative
from pipegen.targets.jenkins.size.weights import LARGEST, LEAST_STAGE, weigh_added
from pipegen.targets.jenkins.stages.lower_stages import Stages, Style
from pipegen.targets.jenkins.styles.declarative import (
    finally_obstacle,
    lower_declarative,
    with_agents_in_functions,
    with_functions,
)
from pipegen.targets.jenkins.styles.scripted import is_too_large, lower_scripted

# A wide graph may have very many waits; diagnostics list only the first.
_SHOWN_WAITS = 8
_SHOWN_NAMES = 4


class StageLayout(Struct):
    """Stages in their layout; *notes* are lines about it for the header."""

    stages: Stages
    body: model.Declarative | model.ScriptedPipelines
    notes: tuple[str, ...] = ()


def lay_out(
    work: ScriptedPlans, style: str, stages_in: Callable[[Style], Stages], frame: FileFrame, report: Report
) -> StageLayout:
    """Return the stages that *stages_in* returns for a style, in their layout.

    *style* is "declarative", "scripted", or "auto": declarative if that represents the graph exactly, in a size that
    Jenkins accepts.
    """
    graph = _graph(work)
    if style == Style.DECLARATIVE.value:
        layout = _forced_declarative(work, graph, stages_in(Style.DECLARATIVE), frame, report)
    elif style == Style.SCRIPTED.value:
        layout = _scripted(work, graph, stages_in, frame, ("Style: scripted.",), report)
    else:
        layout = _declarative(work, graph, stages_in, frame) or _scripted(work, graph, stages_in, frame, (), report)
    if not _holds_agent(layout.body):
        report_without_agent(frame.properties, work.plans[0].span, report)
    _check_stages(layout, work, report)
    return layout


def _holds_agent(body: model.Declarative | model.ScriptedPipelines) -> bool:
    """Return whether the blocks around all stages have an agent: Declarative takes its own before `options`."""
    return isinstance(body, model.Declarative) and body.agent is not None and not body.group


def _declarative(
    work: ScriptedPlans, graph: ExecutionGraph, stages_in: Callable[[Style], Stages], frame: FileFrame
) -> StageLayout | None:
    """Return the stages as blocks if these represent the graph exactly, in a size that Jenkins accepts."""
    if _needs_driver(work) or not_declarative(frame.properties) or len(work.named) * LEAST_STAGE > LARGEST:
        return None
    stage_blocks = blocks(graph)
    if stage_blocks is not None and _has_room_for_workspaces(work, stage_blocks):
        stages = stages_in(Style.DECLARATIVE)
        body = lower_declarative(work, stage_blocks, stages.stages)
        if _fits(body, frame):
            return StageLayout(stages, body)
    return None


def _fits(body: model.Declarative, frame: FileFrame) -> bool:
    """Return whether Jenkins accepts the size of *body* with the *frame* around its stages."""
    return len(frame.variables) <= MOST_VARIABLES and weigh_declarative(frame, body) <= LARGEST


def _needs_driver(work: ScriptedPlans) -> bool:
    """Return whether a feature needs control over the start and end of stages."""
    return bool(finally_obstacle(work)) or any(plan.failure_stops_others for plan in work.plans)


def _graph(work: ScriptedPlans) -> ExecutionGraph:
    """Return the graph of all pipelines' stages except finally stages, by their names in the file."""
    named = [named_job for named_job in work.named if not named_job.job.is_final]
    names = names_by_key(named)
    arcs = [
        (names[named_job.plan.name, earlier], named_job.name) for named_job in named for earlier in named_job.job.needs
    ]
    return ExecutionGraph([*((named_job.name,) for named_job in named), *arcs])


def _has_room_for_workspaces(work: ScriptedPlans, stage_blocks: Sequence[Block]) -> bool:
    """Return whether blocks can give the stages of a pipeline a shared workspace, if required.

    They can if the pipeline is alone, and its first stage, which all others wait for, can check out the code.
    """
    if not work.with_workspace(Workspace.SHARED):
        return True
    return len(work.plans) == 1 and len(stage_blocks[0]) == 1


def _scripted(
    work: ScriptedPlans,
    graph: ExecutionGraph,
    stages_in: Callable[[Style], Stages],
    frame: FileFrame,
    notes: tuple[str, ...],
    report: Report,
) -> StageLayout:
    # The depth first: it needs much memory, which is free again before the stages are lowered.
    depth = depth_of(work, graph)
    report_depth(depth, work, report)
    report_not_scripted(frame.properties, work.plans[0].span, report)
    stages = stages_in(Style.SCRIPTED)
    body = replace(lower_scripted(work, stages.stages, frame), deepest=depth.deepest)
    return StageLayout(stages, body, (*notes, *depth_notes(depth)))


def _forced_declarative(
    work: ScriptedPlans, graph: ExecutionGraph, stages: Stages, frame: FileFrame, report: Report
) -> StageLayout:
    _check_workspaces(work, report)
    _check_outcomes(work, report)
    report_not_declarative(frame.properties, work.plans[0].span, report)
    stage_blocks = blocks(graph)
    waits: tuple[ExtraWait, ...] = ()
    if stage_blocks is None:
        stage_blocks = cheapest_blocks(graph)
        waits = direct_waits(graph, stage_blocks)
        _report_waits(waits, graph, stage_blocks, work, report)
    body = lower_declarative(work, stage_blocks, stages.stages)
    for smaller in (with_functions, with_agents_in_functions):
        if not _fits(body, frame):
            stages = Stages(smaller(stages.stages), stages.recipients)
            body = lower_declarative(work, stage_blocks, stages.stages)
    if not _fits(body, frame):
        _refuse_size(work, frame, report)
    return StageLayout(stages, body, ("Style: declarative.", *_notes(waits)))


def _check_workspaces(work: ScriptedPlans, report: Report) -> None:
    shared = work.with_workspace(Workspace.SHARED)
    if len(work.plans) > 1 and shared:
        plan = shared[0].plan
        report.add(
            SHARED_AND_OTHER_PIPELINES.code,
            f'the declarative style cannot give the stages of "{plan.name}" a shared workspace next to other pipelines',
            at=plan.workspace_span or plan.span,
            hint="use the style scripted, or compile this pipeline alone with --pipeline",
        )


def _check_outcomes(work: ScriptedPlans, report: Report) -> None:
    obstacle = finally_obstacle(work)
    for plan in work.plans:
        final = next((job for job in plan.jobs if job.is_final), None) if obstacle else None
        settings = [("fail_fast", "", plan.fail_fast_span)] if plan.failure_stops_others else []
        settings += [("finally", f": {obstacle}", final.span)] if final is not None else []
        for key, reason, span in settings:
            report.add(
                codes.DECLARATIVE_OUTCOMES,
                f'the declarative style does not support "{key}" of pipeline "{plan.name}"{reason}',
                at=span,
                hint="use the style scripted or auto",
            )


def _refuse_size(work: ScriptedPlans, frame: FileFrame, report: Report) -> None:
    content = f"{len(work.named)} stages"
    if len(frame.variables) > MOST_VARIABLES:
        content = f"{len(frame.variables)} variables"
    report.add(
        codes.DECLARATIVE_TOO_LARGE,
        f"{content} do not fit into one declarative pipeline: Jenkins compiles it to one method, which has a "
        "largest size",
        at=work.plans[0].span,
        hint="use the style scripted or auto",
    )


def _check_stages(layout: StageLayout, work: ScriptedPlans, report: Report) -> None:
    """Report stages that are too large for a method, or together for a class."""
    body = layout.body
    if isinstance(body, model.ScriptedPipelines):
        hint = "split it, or make its steps smaller"
        large = [*body.tables.too_large] if body.tables is not None else []
        _check_class(body, layout.stages.recipients, work, report)
    else:
        hint = "split it, or use the style scripted or auto"
        large = [stage.name for stage in layout.stages.stages if weigh_added(stage) > LARGEST]
    spans = {named_job.name: named_job.job.span for named_job in work.named}
    for name in large:
        report.add(
            codes.STAGE_TOO_LARGE,
            f'stage "{name}" is too large for Jenkins, which compiles its steps to one method',
            at=spans[name],
            hint=hint,
        )


def _check_class(
    body: model.ScriptedPipelines, recipients: Sequence[model.Recipients], work: ScriptedPlans, report: Report
) -> None:
    if body.tables is None or not is_too_large(body.tables, len(recipients)):
        return
    report.add(
        codes.FILE_TOO_LARGE,
        f"{len(work.named)} stages do not fit into one Jenkinsfile: Jenkins compiles it to one class, which has a "
        "largest size",
        at=work.plans[0].span,
        hint="compile parts of it for separate jobs with --pipeline, or let more steps differ only in their texts",
    )


def _report_waits(
    waits: Sequence[ExtraWait],
    graph: ExecutionGraph,
    stage_blocks: Sequence[Block],
    work: ScriptedPlans,
    report: Report,
) -> None:
    """Report the *waits* that *stage_blocks* add to *graph*, and their cost."""
    pairs = len(added_waits(graph, stage_blocks))
    lengths = len(longest_path(graph)), sum(max(map(len, block)) for block in stage_blocks)
    spans = {named_job.name: named_job.job.span for named_job in work.named}
    descriptions = [f"{_names(wait.later)} for {_names(wait.earlier)}" for wait in waits[:_SHOWN_WAITS]]
    rest = [f"and {len(waits) - _SHOWN_WAITS} more"] if len(waits) > _SHOWN_WAITS else []
    report.add(
        codes.ADDED_WAITS,
        f"blocks of the declarative style add waits that the graph does not require: {'; '.join(descriptions + rest)} "
        f"({pairs} {'pair' if pairs == 1 else 'pairs'} of stages in all); {growth(*lengths)}",
        at=spans[waits[0].later[0]],
        label="waits longer than necessary",
        hint="use the style scripted, which adds none; with these blocks, a stage with an added wait is skipped when "
        "the other stage fails",
    )


def _notes(waits: Sequence[ExtraWait]) -> tuple[str, ...]:
    notes = [f"Added wait: {_names(wait.later)} for {_names(wait.earlier)}." for wait in waits[:_SHOWN_WAITS]]
    if len(waits) > _SHOWN_WAITS:
        notes.append(f"And {len(waits) - _SHOWN_WAITS} more added waits.")
    if waits:
        notes.append("When a stage fails, those that wait for it do not run, added waits included; scripted adds none.")
    return tuple(notes)


def _names(stages: Sequence[str]) -> str:
    return listed(stages, limit=_SHOWN_NAMES)
