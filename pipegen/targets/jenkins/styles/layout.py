"""Which style a Jenkinsfile is written in, and where its stages stand in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.blocks import Block, ExtraWait, added_waits, blocks, direct_waits
from pipegen.graph.execution import ExecutionGraph
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
from pipegen.targets.jenkins.named_jobs import ScriptedPlans
from pipegen.targets.jenkins.pairs import SHARED_BESIDE_OTHERS
from pipegen.targets.jenkins.size.depth import depth_notes, depth_of, report_depth
from pipegen.targets.jenkins.size.files import MOST_VARIABLES, FileFrame, weigh_declarative
from pipegen.targets.jenkins.size.weights import LARGEST, LEAST_STAGE, weigh_added
from pipegen.targets.jenkins.stages.lower_stages import Stages, Style
from pipegen.targets.jenkins.styles.declarative import lower_declarative, with_agents_in_functions, with_functions
from pipegen.targets.jenkins.styles.scripted import is_too_large, lower_scripted

# A wide graph has waits without end; these are enough to see what is meant.
_TOLD_WAITS = 8
_TOLD_NAMES = 4


class StageLayout(Struct):
    """Stages in their places; *notes* are lines about the layout for the top of the file."""

    stages: Stages
    body: model.Declarative | model.ScriptedPipelines
    notes: tuple[str, ...] = ()


def lay_out(
    work: ScriptedPlans, style: str, stages_in: Callable[[Style], Stages], around: FileFrame, report: Report
) -> StageLayout:
    """Return the stages that *stages_in* makes, in their places.

    *style* is "declarative", "scripted", or "auto": declarative where that says the graph exactly, in a size that
    Jenkins takes.
    """
    graph = _graph(work)
    if style == Style.DECLARATIVE.value:
        laid_out = _forced_declarative(work, graph, stages_in(Style.DECLARATIVE), around, report)
    elif style == Style.SCRIPTED.value:
        laid_out = _scripted(work, graph, stages_in, around, ("Style: scripted.",), report)
    else:
        laid_out = _declarative(work, graph, stages_in, around) or _scripted(work, graph, stages_in, around, (), report)
    if not _holds_agent(laid_out.body):
        report_without_agent(around.properties, work.plans[0].span, report)
    _check_stages(laid_out, work, report)
    return laid_out


def _holds_agent(body: model.Declarative | model.ScriptedPipelines) -> bool:
    """Return whether what stands around all stages has an agent: Declarative takes its own before `options`."""
    return isinstance(body, model.Declarative) and body.agent is not None and not body.group


def _declarative(
    work: ScriptedPlans, graph: ExecutionGraph, stages_in: Callable[[Style], Stages], around: FileFrame
) -> StageLayout | None:
    """Return the stages as blocks where these say the graph exactly, in a size that Jenkins takes."""
    if _asks_for_driver(work) or not_declarative(around.properties) or len(work.named) * LEAST_STAGE > LARGEST:
        return None
    placed = blocks(graph)
    if placed is not None and _has_room_for_workspaces(work, placed):
        stages = stages_in(Style.DECLARATIVE)
        body = lower_declarative(work, placed, stages.stages)
        if _fits(body, around):
            return StageLayout(stages, body)
    return None


def _fits(body: model.Declarative, around: FileFrame) -> bool:
    """Return whether Jenkins takes *body* with what stands *around* its stages."""
    return len(around.variables) <= MOST_VARIABLES and weigh_declarative(around, body) <= LARGEST


def _asks_for_driver(work: ScriptedPlans) -> bool:
    """Return whether something is asked for that needs a hand in how stages start and end."""
    return bool(work.ends) or any(plan.is_fail_fast for plan in work.plans)


def _graph(work: ScriptedPlans) -> ExecutionGraph:
    """Return the graph of all pipelines' stages but the finally ones, by their names in the file."""
    named = [one for one in work.named if not one.job.is_final]
    shown = {(one.plan.name, one.job.stage): one.name for one in named}
    arcs = [(shown[one.plan.name, earlier], one.name) for one in named for earlier in one.job.needs]
    return ExecutionGraph([*((one.name,) for one in named), *arcs])


def _has_room_for_workspaces(work: ScriptedPlans, placed: Sequence[Block]) -> bool:
    """Return whether blocks can give the stages of a pipeline one workspace, where that is asked for.

    They can when the pipeline is alone, and its first stage, which all others wait for, can fetch the code.
    """
    if not work.with_workspace(Workspace.SHARED):
        return True
    return len(work.plans) == 1 and len(placed[0]) == 1


def _scripted(
    work: ScriptedPlans,
    graph: ExecutionGraph,
    stages_in: Callable[[Style], Stages],
    around: FileFrame,
    notes: tuple[str, ...],
    report: Report,
) -> StageLayout:
    # First what takes much memory, then what stays.
    depth = depth_of(work, graph)
    report_depth(depth, work, report)
    report_not_scripted(around.properties, work.plans[0].span, report)
    stages = stages_in(Style.SCRIPTED)
    body = replace(lower_scripted(work, stages.stages, around), deepest=depth.deepest)
    return StageLayout(stages, body, (*notes, *depth_notes(depth)))


def _forced_declarative(
    work: ScriptedPlans, graph: ExecutionGraph, stages: Stages, around: FileFrame, report: Report
) -> StageLayout:
    _check_workspaces(work, report)
    _check_outcomes(work, report)
    report_not_declarative(around.properties, work.plans[0].span, report)
    placed = blocks(graph)
    waits: tuple[ExtraWait, ...] = ()
    if placed is None:
        from pipegen.graph.layout import cheapest_blocks  # noqa: PLC0415 - only for a style that is forced

        placed = cheapest_blocks(graph)
        waits = direct_waits(graph, placed)
        _report_waits(waits, graph, placed, work, report)
    body = lower_declarative(work, placed, stages.stages)
    for smaller in (with_functions, with_agents_in_functions):
        if not _fits(body, around):
            stages = Stages(smaller(stages.stages), stages.recipients)
            body = lower_declarative(work, placed, stages.stages)
    if not _fits(body, around):
        _refuse_size(work, around, report)
    return StageLayout(stages, body, ("Style: declarative.", *_notes(waits)))


def _check_workspaces(work: ScriptedPlans, report: Report) -> None:
    shared = work.with_workspace(Workspace.SHARED)
    if len(work.plans) > 1 and shared:
        plan = shared[0].plan
        report.add(
            SHARED_BESIDE_OTHERS.code,
            f'the declarative style cannot give the stages of "{plan.name}" one workspace beside other pipelines',
            at=plan.workspace_span or plan.span,
            hint="use the style scripted, or compile this pipeline alone with --pipeline",
        )


def _check_outcomes(work: ScriptedPlans, report: Report) -> None:
    for plan in work.plans:
        final = next((job for job in plan.jobs if job.is_final), None)
        asked = [("fail_fast", plan.fail_fast_span)] if plan.is_fail_fast else []
        asked += [("finally", final.span)] if final is not None else []
        for key, span in asked:
            report.add(
                codes.DECLARATIVE_OUTCOMES,
                f'the declarative style cannot say "{key}" of pipeline "{plan.name}"',
                at=span,
                hint="use the style scripted, or auto, which picks it",
            )


def _refuse_size(work: ScriptedPlans, around: FileFrame, report: Report) -> None:
    many = f"{len(work.named)} stages"
    if len(around.variables) > MOST_VARIABLES:
        many = f"{len(around.variables)} variables"
    report.add(
        codes.DECLARATIVE_TOO_LARGE,
        f"{many} do not fit into one declarative pipeline: Jenkins compiles it to one method, and a method has a "
        "largest size",
        at=work.plans[0].span,
        hint="use the style scripted, or auto, which picks it",
    )


def _check_stages(laid_out: StageLayout, work: ScriptedPlans, report: Report) -> None:
    """Report stages that no method holds, and stages that no class holds together."""
    body = laid_out.body
    if isinstance(body, model.ScriptedPipelines):
        hint = "split it, or give less to each of its steps"
        large = [*body.tables.too_large] if body.tables is not None else []
        _check_class(body, laid_out.stages.recipients, work, report)
    else:
        hint = "split it, or use the style scripted, or auto, which picks it"
        large = [stage.name for stage in laid_out.stages.stages if weigh_added(stage) > LARGEST]
    spans = {one.name: one.job.span for one in work.named}
    for name in large:
        report.add(
            codes.STAGE_TOO_LARGE,
            f'stage "{name}" is too large for Jenkins, which compiles what it does to one method',
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
        hint="compile parts of it for jobs of their own with --pipeline, or let more steps differ in their texts alone",
    )


def _report_waits(
    waits: Sequence[ExtraWait], graph: ExecutionGraph, placed: Sequence[Block], work: ScriptedPlans, report: Report
) -> None:
    """Tell of the *waits* that *placed* adds to *graph*, and what they cost."""
    pairs = len(added_waits(graph, placed))
    lengths = len(longest_path(graph)), sum(max(map(len, block)) for block in placed)
    spans = {one.name: one.job.span for one in work.named}
    told = [f"{_names(wait.later)} for {_names(wait.earlier)}" for wait in waits[:_TOLD_WAITS]]
    rest = [f"and {len(waits) - _TOLD_WAITS} more"] if len(waits) > _TOLD_WAITS else []
    report.add(
        codes.ADDED_WAITS,
        f"blocks of the declarative style add waits that the graph does not ask for: {'; '.join(told + rest)} "
        f"({pairs} {'pair' if pairs == 1 else 'pairs'} of stages in all); {growth(*lengths)}",
        at=spans[waits[0].later[0]],
        label="waits longer than it has to",
        hint="use the style scripted, which adds none; with these blocks, a stage that waits for another "
        "does not run either when that one fails",
    )


def _notes(waits: Sequence[ExtraWait]) -> tuple[str, ...]:
    notes = [f"Added wait: {_names(wait.later)} for {_names(wait.earlier)}." for wait in waits[:_TOLD_WAITS]]
    if len(waits) > _TOLD_WAITS:
        notes.append(f"And {len(waits) - _TOLD_WAITS} added waits more.")
    if waits:
        notes.append("When a stage fails, those that wait for it do not run, added waits included; scripted adds none.")
    return tuple(notes)


def _names(stages: Sequence[str]) -> str:
    return listed(stages, limit=_TOLD_NAMES)
