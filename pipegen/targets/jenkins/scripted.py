"""Stages as `addStage` calls, and how they start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Workspace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.agents import shared_agent
from pipegen.targets.jenkins.size import LARGEST, weigh_added
from pipegen.targets.jenkins.teardown import isolated_teardown, shared_teardown
from pipegen.targets.jenkins.work import PlanScripts, Work
from pipegen.targets.jenkins.workspace import prepare

_MOST_STAGES = 40


def lower_scripted(work: Work, stages: Sequence[model.Stage]) -> model.Scripted:
    """Return *stages* as calls."""
    return model.Scripted(
        chunks=_chunks(work, stages),
        runs=tuple(
            model.Run(
                one.plan.name, work.selected(one.plan.name), _roots(one, stages), work.ends.get(one.plan.name, "")
            )
            for one in work.with_workspace(Workspace.ISOLATED)
        ),
        shared=tuple(_shared_run(one, work, stages) for one in work.with_workspace(Workspace.SHARED)),
        teardown=isolated_teardown(work),
    )


def _chunks(work: Work, stages: Sequence[model.Stage]) -> tuple[model.Chunk, ...]:
    """Return *stages*, those of one pipeline together: in place, or in functions when one method cannot hold them."""
    pipelines = [tuple(stage for stage in stages if stage.pipeline == plan.name) for plan in work.plans]
    if len(stages) <= _MOST_STAGES and sum(map(weigh_added, stages)) <= LARGEST:
        return tuple(
            model.Chunk(function="", selected=work.selected(part[0].pipeline), stages=part) for part in pipelines
        )
    parts = [piece for part in pipelines for piece in _pieces(part)]
    return tuple(
        model.Chunk(function=f"addStages{number}", selected=work.selected(part[0].pipeline), stages=part)
        for number, part in enumerate(parts, 1)
    )


def _pieces(stages: Sequence[model.Stage]) -> Iterator[tuple[model.Stage, ...]]:
    """Yield *stages* in pieces that a method can hold."""
    piece: list[model.Stage] = []
    weight = 0
    for stage in stages:
        added = weigh_added(stage)
        if piece and (len(piece) == _MOST_STAGES or weight + added > LARGEST):
            yield tuple(piece)
            piece, weight = [], 0
        piece.append(stage)
        weight += added
    yield tuple(piece)


def _roots(scripts: PlanScripts, stages: Sequence[model.Stage]) -> tuple[str, ...]:
    return tuple(stage.name for stage in stages if stage.pipeline == scripts.plan.name and not stage.after)


def _shared_run(scripts: PlanScripts, work: Work, stages: Sequence[model.Stage]) -> model.SharedRun:
    plan = scripts.plan
    return model.SharedRun(
        pipeline=plan.name,
        selected=work.selected(plan.name),
        agent=shared_agent(scripts, work.settings),
        prepare=prepare(work.checkouts[plan.name]),
        roots=_roots(scripts, stages),
        teardown=shared_teardown(scripts),
        end=work.ends.get(plan.name, ""),
    )
