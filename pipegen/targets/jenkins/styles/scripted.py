"""Stages as `addStage` calls, and the start of pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from pipegen.plan.model import Workspace
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.job.teardown import isolated_teardown, shared_teardown
from pipegen.targets.jenkins.named_jobs import PlanScripts, ScriptedPlans
from pipegen.targets.jenkins.names import function_names
from pipegen.targets.jenkins.size.files import (
    MOST_IN_A_ROW,
    FileFrame,
    in_functions,
    parallel_pipelines,
    parts,
    weigh_run,
    weigh_script,
    weigh_selected,
)
from pipegen.targets.jenkins.size.weights import LARGEST, weigh_added, weigh_names
from pipegen.targets.jenkins.stages.agents.agents import shared_agent
from pipegen.targets.jenkins.stages.steps import prepare
from pipegen.targets.jenkins.styles import matrices
from pipegen.targets.jenkins.styles.kinds import weigh_kinds
from pipegen.targets.jenkins.styles.loops import called, with_loops
from pipegen.targets.jenkins.styles.mails import with_mail_functions
from pipegen.targets.jenkins.styles.script_blocks import without_script
from pipegen.targets.jenkins.styles.tables import lower_tables

_MOST_STAGES = 40
_LONGEST_ROOTS = 1_000
# The nodes of all stages of a class. 700 functions of one small stage each, about 17 nodes, were accepted, 850 were not
# ("Class too large"): every call adds to the constants of a class.
MOST_CODE = 12_000
# The nodes of the kinds of steps in tables.
_MOST_KINDS = 12_000
# The functions for stages, of 700 that a class may have.
_MOST_FUNCTIONS = 600


def lower_scripted(
    work: ScriptedPlans, stages: Sequence[model.StageBlock], frame: FileFrame
) -> model.ScriptedPipelines:
    """Return *stages* as calls, or as tables if there would be too many, with the *frame* around them."""
    if any(named_job.job.plugin_steps is not None for named_job in work.named):
        stages = [replace(stage, steps=without_script(stage.steps)) for stage in stages]
    body = _with_lists(_starts(work, stages))
    body = replace(
        body,
        branches=in_functions(parallel_pipelines(body), weigh_run),
        fails_fast=any(stage.fail_fast for stage in stages),
        mails=any(stage.on_failure for stage in stages),
        reads_statuses=any(stage for named_job in work.named for stage in named_job.job.statuses),
        shares_agent=any(stage.agent is not None and stage.agent.is_pinned for stage in stages),
    )
    if not _has_room(stages):
        tables = lower_tables(work, stages)
        tables = replace(tables, calls=in_functions(tables.spans, _weigh_span))
        # The functions that read tables are the same in all files.
        return replace(body, tables=tables, fails_fast=True, mails=True, reads_statuses=True)
    shorter, mails = with_mail_functions(stages, work.settings.definitions)
    shorter, functions = matrices.in_scripted(shorter, work.named, function_names(work.settings.definitions))
    room = LARGEST - weigh_script(frame, body)
    chunks = tuple(_with_loops(_chunks(work, shorter, room), work, functions, room))
    functions = called(functions, [item for chunk in chunks for item in chunk.declarations])
    calls = in_functions(chunks, _weigh_call) if chunks[0].function else ()
    return replace(body, chunks=chunks, calls=calls, functions=(*functions, *mails))


def _with_loops(
    chunks: Sequence[model.Chunk], work: ScriptedPlans, functions: Sequence[model.StepsFunction], room: int
) -> Iterator[model.Chunk]:
    """Yield *chunks* with loops that have the steps of *functions*; those in place share the *room*."""
    in_place = sum(weigh_selected(chunk.selected) + sum(map(weigh_added, chunk.stages)) for chunk in chunks)
    for chunk in chunks:
        own = sum(map(weigh_added, chunk.stages))
        free = LARGEST - own if chunk.function else (room - in_place) // len(chunks)
        yield replace(chunk, declarations=with_loops(chunk.stages, work.named, functions, free))


def _with_lists(body: model.ScriptedPipelines) -> model.ScriptedPipelines:
    """Return *body* with functions for the roots of pipelines with very many."""
    number = count(1)
    runs = tuple(replace(run, roots=(), lists=_lists(run.roots, number)) if _is_wide(run) else run for run in body.runs)
    shared = tuple(
        replace(run, roots=(), lists=_lists(run.roots, number)) if _is_wide(run) else run for run in body.shared
    )
    return replace(body, runs=runs, shared=shared)


def _is_wide(run: model.PipelineRoots | model.SharedRun) -> bool:
    return weigh_names(run.roots) > MOST_IN_A_ROW


def _lists(roots: Sequence[str], number: Iterator[int]) -> tuple[model.RootList, ...]:
    starts = range(0, len(roots), _LONGEST_ROOTS)
    return tuple(
        model.RootList(f"roots{next(number)}", tuple(roots[index : index + _LONGEST_ROOTS])) for index in starts
    )


def is_too_large(tables: model.Tables, functions: int) -> bool:
    """Return whether *tables* and this number of other *functions* are too large for a class."""
    weight = weigh_kinds(tables.steps) + weigh_kinds(tables.values)
    return len(tables.texts) + functions > _MOST_FUNCTIONS or weight > _MOST_KINDS


def _starts(work: ScriptedPlans, stages: Sequence[model.StageBlock]) -> model.ScriptedPipelines:
    """Return the start of the pipelines of *stages*, wherever these are declared."""
    return model.ScriptedPipelines(
        chunks=(),
        runs=tuple(
            model.PipelineRoots(
                scripts.plan.name,
                work.selected(scripts.plan.name),
                _roots(scripts, stages),
                work.ends.get(scripts.plan.name, ""),
            )
            for scripts in work.with_workspace(Workspace.ISOLATED)
        ),
        shared=tuple(_shared_run(scripts, work, stages) for scripts in work.with_workspace(Workspace.SHARED)),
        teardown=isolated_teardown(work),
    )


def _has_room(stages: Sequence[model.StageBlock]) -> bool:
    """Return whether *stages* fit into methods, and these into one class."""
    weight = 0
    for stage in stages:
        own = weigh_added(stage)
        weight += own
        if own > LARGEST or weight > MOST_CODE:
            return False
    return True


def _weigh_span(span: model.PipelineRange) -> int:
    return 6 + weigh_selected(span.selected)


def _weigh_call(chunk: model.Chunk) -> int:
    return 4 + weigh_selected(chunk.selected)


def _chunks(work: ScriptedPlans, stages: Sequence[model.StageBlock], room: int) -> tuple[model.Chunk, ...]:
    """Return *stages*, grouped by pipeline: in place if there is *room*, else in functions."""
    pipelines = [tuple(stage for stage in stages if stage.pipeline == plan.name) for plan in work.plans]
    in_place = tuple(
        model.Chunk(function="", selected=work.selected(part[0].pipeline), stages=part) for part in pipelines
    )
    conditions = sum(weigh_selected(chunk.selected) for chunk in in_place)
    if len(stages) <= _MOST_STAGES and conditions + sum(map(weigh_added, stages)) <= room:
        return in_place
    pieces = [piece for part in pipelines for piece in parts(part, weigh_added, LARGEST, _MOST_STAGES)]
    return tuple(
        model.Chunk(function=f"addStages{number}", selected=work.selected(part[0].pipeline), stages=part)
        for number, part in enumerate(pieces, 1)
    )


def _roots(scripts: PlanScripts, stages: Sequence[model.StageBlock]) -> tuple[str, ...]:
    return tuple(stage.name for stage in stages if stage.pipeline == scripts.plan.name and not stage.after)


def _shared_run(scripts: PlanScripts, work: ScriptedPlans, stages: Sequence[model.StageBlock]) -> model.SharedRun:
    plan = scripts.plan
    return model.SharedRun(
        pipeline=plan.name,
        selected=work.selected(plan.name),
        agent=shared_agent(scripts, work.settings),
        prepare=prepare(scripts, work.checkouts.of(plan)),
        roots=_roots(scripts, stages),
        teardown=shared_teardown(scripts),
        end=work.ends.get(plan.name, ""),
    )
