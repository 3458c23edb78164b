"""The combinations of a pipeline's matrix stages, each a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from pipegen.config.model import CombinationOf, PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.expansion.matrix import Matrix, check_source, read_matrix, source
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.tree import Scalar
from pipegen.structs import Struct, replace

_BLANK = r"[\s\x00-\x1f\x7f]+"
# What a shell reads in a name that somebody hands it without care, as some runners do.
_READ_BY_SHELLS = r"[$`\"'\\]"
# Of a name, so that all of it fits into 255 characters, and on a screen.
_LONGEST_VALUE, _LONGEST_NAME = 40, 200


def combinations_of(pipeline: PipelineConfig, report: Report) -> dict[str, tuple[StageConfig, ...]]:
    """Return the combinations of each matrix stage of *pipeline*, by its name; what is wrong is reported."""
    stages = {stage.name.value: stage for stage in reversed(pipeline.stages) if stage.matrix is not None}
    if not stages:
        return {}
    everyone = {stage.name.value: stage for stage in reversed(pipeline.stages)}
    sources = {
        name: found for name, stage in stages.items() if stage.matrix and (found := source(stage.matrix)) is not None
    }
    order = _order(stages, sources, report)
    taken = set(everyone)
    made: dict[str, _Made] = {}
    for name in order:
        stage, taken_from = stages[name], sources.get(name)
        if stage.matrix is None:
            continue
        if taken_from is None:
            made[name] = _Made(read_matrix(stage, stage.matrix, report), ())
            continue
        check_source(stage, stage.matrix, report)
        made[name] = _taken(taken_from, made, everyone, report)
    return {name: tuple(_combinations(stages[name], made[name], taken)) for name in reversed(stages) if name in made}


class _Made(Struct):
    """What the matrix of a stage comes to, and the stages that it was taken from, the nearest first."""

    matrix: Matrix
    like: tuple[str, ...]


def _order(stages: Mapping[str, StageConfig], sources: Mapping[str, Scalar], report: Report) -> Sequence[str]:
    """Return the names of matrix *stages*, each after the one whose combinations it takes; not those on a cycle."""
    arcs = [(found.text, name) for name, found in sources.items()]
    graph = ExecutionGraph([*((name,) for name in stages), *arcs])
    cycles = graph.cycles()
    for cycle in cycles:
        # An arc goes to the stage that takes: told the other way round, each takes from the next.
        way = cycle[::-1]
        report.add(
            codes.COMBINATION_CYCLE,
            f"stages take their combinations from each other: {' -> '.join(way)}",
            at=sources[way[0]].span,
            also=[Label(sources[name].span) for name in way[1:-1]],
            hint='give one of them axes in place of "from"',
        )
    if cycles:
        return [name for name in stages if name not in sources]
    return [name for name in graph.topological() if name in stages]


def _taken(name: Scalar, made: Mapping[str, _Made], stages: Mapping[str, StageConfig], report: Report) -> _Made:
    """Return the combinations of the stage *name* for one that takes them."""
    found = made.get(name.text)
    if found is not None:
        return _Made(found.matrix, (name.text, *found.like))
    stage = stages.get(name.text)
    if stage is None:
        otherwise = f"stages with a matrix are {listed(list(made))}" if made else "name a stage with a matrix"
        report_unknown_stage('"from"', name.located(), stages, otherwise, report)
    elif stage.matrix is None:
        report.add(
            codes.NO_MATRIX,
            f'stage "{name.text}" has no matrix whose combinations another stage could have',
            at=name.span,
            also=[Label(stage.name.span, 'no "matrix" here')],
            hint='add "matrix" to that stage, or axes to this one',
        )
    return _Made(Matrix((), ()), (name.text,))


def _combinations(stage: StageConfig, made: _Made, taken: set[str]) -> Iterator[StageConfig]:
    """Yield a stage for each combination of *stage*; *taken* holds the names that are given."""
    for values in made.matrix.combinations:
        name = _name(stage.said, [value for _, value in values], taken)
        combination = CombinationOf(stage=stage.said, values=values, axes=made.matrix.axes, like=made.like)
        yield replace(stage, name=replace(stage.name, value=name), combination=combination, matrix=None)


def _name(stage: str, values: Sequence[str], taken: set[str]) -> str:
    """Return the name of the combination with *values*: readable in one line, and not in *taken*."""
    words = f"{stage}: {', '.join(map(_shown, values))}"
    name = words if len(words) <= max(_LONGEST_NAME, len(stage)) else f"{words[: _LONGEST_NAME - 1]}…"
    chosen = next(found for number in count(1) if (found := name if number == 1 else f"{name} ({number})") not in taken)
    taken.add(chosen)
    return chosen


def _shown(value: str) -> str:
    found = re.sub(_BLANK, " ", re.sub(_READ_BY_SHELLS, "", value)).strip()
    if not found:
        return "-"
    return found if len(found) <= _LONGEST_VALUE else f"{found[: _LONGEST_VALUE - 1]}…"
