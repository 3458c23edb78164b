"""Stages as `addStage` calls, in functions of their own where they are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.size import LARGEST, weigh_added

_MOST_STAGES = 40


def lower_chunks(
    stages: Sequence[model.Stage], selected: Callable[[str], model.Selected]
) -> tuple[model.Chunk, ...]:
    """Return *stages* (those of one pipeline together) in place, or in functions when one method cannot hold them."""
    weight = sum(map(weigh_added, stages))
    if len(stages) <= _MOST_STAGES and weight <= LARGEST:
        return tuple(
            model.Chunk(function="", selected=selected(part[0].pipeline), stages=part) for part in _pipelines(stages)
        )
    parts = [chunk for part in _pipelines(stages) for chunk in _fitting(part)]
    return tuple(
        model.Chunk(function=f"addStages{number}", selected=selected(part[0].pipeline), stages=part)
        for number, part in enumerate(parts, 1)
    )


def _pipelines(stages: Sequence[model.Stage]) -> Iterator[tuple[model.Stage, ...]]:
    for pipeline in dict.fromkeys(stage.pipeline for stage in stages):
        yield tuple(stage for stage in stages if stage.pipeline == pipeline)


def _fitting(stages: Sequence[model.Stage]) -> Iterator[tuple[model.Stage, ...]]:
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
