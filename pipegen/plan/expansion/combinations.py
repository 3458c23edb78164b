"""The combinations of matrix stages, each as a stage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pipegen.config.model import CombinationOf, PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.numbering import unique_name
from pipegen.plan.expansion.matrix import Matrix, check_literals, check_source, read_matrix, source
from pipegen.plan.unknown_names import report_unknown_stage
from pipegen.source.tree import Scalar
from pipegen.structs import Struct, replace

_BLANK = r"[\s\x00-\x1f\x7f]+"
# Characters with a meaning in shells, for runners that pass names to a shell unquoted.
_SHELL_SPECIAL = r"[$`\"'\\]"
# The most characters of a value and of a name, so that the name fits into 255 characters, and on a screen.
_LONGEST_VALUE, _LONGEST_NAME = 40, 200


def combinations_of(pipeline: PipelineConfig, report: Report) -> dict[str, tuple[StageConfig, ...]]:
    """Return the combinations of each matrix stage of *pipeline*, by its name; errors are reported."""
    stages = {stage.name.value: stage for stage in reversed(pipeline.stages) if stage.matrix is not None}
    if not stages:
        return {}
    by_name = {stage.name.value: stage for stage in reversed(pipeline.stages)}
    sources = {
        name: source_name
        for name, stage in stages.items()
        if stage.matrix and (source_name := source(stage.matrix)) is not None
    }
    order = _order(stages, sources, report)
    names = set(by_name)
    matrices: dict[str, _Resolved] = {}
    for name in order:
        stage, source_ = stages[name], sources.get(name)
        if stage.matrix is None:
            continue
        if source_ is None:
            check_literals(stage.matrix, names, report)
            matrices[name] = _Resolved(read_matrix(stage, stage.matrix, report), ())
            continue
        check_source(stage, stage.matrix, report)
        matrices[name] = _resolved(source_, matrices, by_name, report)
    return {
        name: tuple(_combinations(stages[name], matrices[name], names)) for name in reversed(stages) if name in matrices
    }


class _Resolved(Struct):
    """The matrix of a stage, and the stages that it is taken from, the nearest first."""

    matrix: Matrix
    sources: tuple[str, ...]


def _order(stages: Mapping[str, StageConfig], sources: Mapping[str, Scalar], report: Report) -> Sequence[str]:
    """Return the names of matrix *stages*, each after the stage whose combinations it takes, without cycles."""
    arcs = [(source_name.text, name) for name, source_name in sources.items()]
    graph = ExecutionGraph([*((name,) for name in stages), *arcs])
    cycles = graph.cycles()
    for cycle in cycles:
        # An arc goes to the stage that takes; in reverse, each stage takes from the next.
        path = cycle[::-1]
        report.add(
            codes.COMBINATION_CYCLE,
            f"stages take their combinations from each other: {' -> '.join(path)}",
            at=sources[path[0]].span,
            related=[Label(sources[name].span) for name in path[1:-1]],
            hint='replace "from" of one of them with axes',
        )
    if cycles:
        return [name for name in stages if name not in sources]
    return [name for name in graph.topological() if name in stages]


def _resolved(
    name: Scalar, matrices: Mapping[str, _Resolved], stages: Mapping[str, StageConfig], report: Report
) -> _Resolved:
    """Return the combinations of the stage *name*, for a stage that takes them."""
    matrix = matrices.get(name.text)
    if matrix is not None:
        return _Resolved(matrix.matrix, (name.text, *matrix.sources))
    stage = stages.get(name.text)
    if stage is None:
        otherwise = f"stages with a matrix are {listed(list(matrices))}" if matrices else "name a stage with a matrix"
        report_unknown_stage('"from"', name.located(), stages, otherwise, report)
    elif stage.matrix is None:
        report.add(
            codes.NO_MATRIX,
            f'stage "{name.text}" has no matrix, so another stage cannot take its combinations',
            at=name.span,
            related=[Label(stage.name.span, 'no "matrix" here')],
            hint='add "matrix" to that stage, or axes to this one',
        )
    return _Resolved(Matrix((), ()), (name.text,))


def _combinations(stage: StageConfig, resolved: _Resolved, names: set[str]) -> Iterator[StageConfig]:
    """Yield a stage for each combination of *stage*; *names* holds the names in use."""
    for values in resolved.matrix.combinations:
        name = combination_name(stage.display_name, [value for _, value in values], names)
        combination = CombinationOf(
            stage=stage.display_name, values=values, axes=resolved.matrix.axes, sources=resolved.sources
        )
        yield replace(stage, name=replace(stage.name, value=name), combination=combination, matrix=None)


def combination_name(stage: str, values: Sequence[str], names: set[str]) -> str:
    """Return a name for the combination with *values*: readable, on one line, and not in *names*, which gets it."""
    words = f"{stage}: {', '.join(map(_shown, values))}"
    name = words if len(words) <= max(_LONGEST_NAME, len(stage)) else f"{words[: _LONGEST_NAME - 1]}…"
    return unique_name(name, names, "{} ({})".format)


def _shown(value: str) -> str:
    text = re.sub(_BLANK, " ", re.sub(_SHELL_SPECIAL, "", value)).strip()
    if not text:
        return "-"
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
