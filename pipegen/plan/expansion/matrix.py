"""The combinations of a matrix."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod

from pipegen.config.model import StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Scalar, child, entries_of, items_of, scalars, scalars_of
from pipegen.structs import Struct

Values = tuple[tuple[str, str], ...]

# GitLab's limit for `parallel: matrix`.
_MOST_COMBINATIONS = 200
# The most combinations that are checked against `exclude`.
_MAX_PRODUCT = 100_000
_KEYS = ("include", "exclude", "from")
# Where values of a run come from, besides stages.
_NAMESPACES = ("", "setup", "inputs", "matrix")


class Matrix(Struct):
    """The *combinations* of a matrix, each with a value for each axis, and all *axes* in the order of the file."""

    axes: tuple[str, ...]
    combinations: tuple[Values, ...]


def source(matrix: StepValue) -> Scalar | None:
    """Return the name of the stage whose combinations *matrix* takes, or None."""
    body = matrix.node
    node = child(body, "from")
    return node if isinstance(node, Scalar) else None


def check_source(stage: StageConfig, matrix: StepValue, report: Report) -> None:
    """Report other keys in the *matrix* of *stage*, which takes its combinations from another stage."""
    others = [entry for entry in entries_of(matrix.node) if entry.key.text != "from"]
    if others:
        report.add(
            codes.INVALID_VALUE,
            f'the matrix of stage "{stage.display_name}" has its own combinations and takes the ones of another stage',
            at=others[0].key.span,
            hint=f'remove {listed([entry.key.text for entry in others])}, or "from"',
        )


def check_literals(matrix: StepValue, stages: Collection[str], report: Report) -> None:
    """Report values in *matrix* that refer to one of *stages* or to the run: the combinations are fixed before it."""
    for scalar in scalars(matrix.node):
        match = re.search(r"(?<!\$)\$\{(?P<namespace>[\w-]*)(?:\[[^]]*\])?\.[^}]*\}", scalar.text)
        if match is not None and match["namespace"] in {*stages, *_NAMESPACES}:
            report.add(
                codes.INVALID_VALUE,
                f'the combinations of a matrix are known before the run, but "{match[0]}" only during it',
                at=scalar.part(match.start(), match.end()),
                hint=f'list the values, or loop over them in one script: echo "{match[0]}" | while read -r value; do …',
            )


def read_matrix(stage: StageConfig, matrix: StepValue, report: Report) -> Matrix:
    """Return the *matrix* of *stage*; errors in it are reported."""
    axes = [entry for entry in entries_of(matrix.node) if entry.key.text not in _KEYS]
    for axis in axes:
        _check_axis(axis, report)
    if prod(len(scalars_of(axis.value)) for axis in axes) > _MAX_PRODUCT:
        _report_too_many(stage, matrix, f"more than {_MAX_PRODUCT:,}", report)
        return Matrix((), ())
    excluded = [(combination, set(combination)) for combination, _ in _combinations(matrix, "exclude")]
    all_ = [tuple(values) for values in product(*map(_values, axes))] if axes else []
    included = {values: matrix.span for values in all_ if not any(pattern <= set(values) for _, pattern in excluded)}
    _check_excluded(matrix, all_, report)
    for values, span in _combinations(matrix, "include"):
        duplicate = next((known for known in included if set(known) == set(values)), None)
        if duplicate is not None:
            _report_twice(values, span, included[duplicate] if included[duplicate] is not matrix.span else None, report)
        else:
            included[values] = span
    if not included:
        report.add(
            codes.EMPTY_MATRIX,
            f'the matrix of stage "{stage.display_name}" has no combinations' + (": all are excluded" if all_ else ""),
            at=matrix.span,
            hint="give an axis a list of values" if not all_ else 'remove a combination from "exclude"',
        )
    if len(included) > _MOST_COMBINATIONS:
        _report_too_many(stage, matrix, str(len(included)), report)
    return Matrix(_axes(axes, included), tuple(islice(included, _MOST_COMBINATIONS)))


def _axes(axes: Sequence[Entry], combinations: Iterable[Values]) -> tuple[str, ...]:
    named = [axis.key.text for axis in axes]
    return tuple(dict.fromkeys([*named, *(axis for values in combinations for axis, _ in values)]))


def _values(axis: Entry) -> list[tuple[str, str]]:
    return [(axis.key.text, value) for value in dict.fromkeys(item.text for item in scalars_of(axis.value))]


def _combinations(matrix: StepValue, key: str) -> Iterator[tuple[Values, Span]]:
    """Yield the combinations under *key*, each with its span."""
    for item in items_of(child(matrix.node, key)):
        entries = entries_of(item)
        pairs = ((entry.key.text, entry.value.text) for entry in entries if isinstance(entry.value, Scalar))
        span = entries[0].key.span.to(entries[-1].value.span) if entries else item.span
        yield tuple(pairs), span


def _check_axis(axis: Entry, report: Report) -> None:
    by_text: dict[str, Scalar] = {}
    for value in scalars_of(axis.value):
        first = by_text.setdefault(value.text, value)
        if first is not value:
            _report_twice(((axis.key.text, value.text),), value.span, first.span, report)


def _check_excluded(matrix: StepValue, combinations: Sequence[Values], report: Report) -> None:
    """Report an `exclude` that matches no combination."""
    values_of = {
        axis: {value for values in combinations for name, value in values if name == axis}
        for axis, _ in _pairs(combinations)
    }
    for values, span in _combinations(matrix, "exclude"):
        if any(set(values) <= set(combination) for combination in combinations):
            continue
        mismatch = next(((axis, value) for axis, value in values if value not in values_of.get(axis, ())), values[0])
        axis, value = mismatch
        similar = suggestion(axis, values_of) if axis not in values_of else suggestion(value, values_of[axis])
        correction = f"{similar}: {value}" if axis not in values_of else f"{axis}: {similar}"
        report.add(
            codes.IDLE_EXCLUDE,
            f'"exclude" has no effect: no combination has {_shown(values)}',
            at=span,
            hint=f'write "{correction}"' if similar else "remove it, or name values that the axes have",
        )


def _pairs(combinations: Sequence[Values]) -> Values:
    return combinations[0] if combinations else ()


def _report_twice(values: Values, span: Span, first: Span | None, report: Report) -> None:
    report.add(
        codes.DUPLICATE_COMBINATION,
        f"the matrix has {_shown(values)} twice",
        at=span,
        label="again",
        related=[Label(first, "first")] if first is not None else [],
        hint="remove one of them",
    )


def _report_too_many(stage: StageConfig, matrix: StepValue, number: str, report: Report) -> None:
    report.add(
        codes.TOO_MANY_COMBINATIONS,
        f'the matrix of stage "{stage.display_name}" has {number} combinations; the limit is {_MOST_COMBINATIONS}',
        at=matrix.span,
        hint="remove values, or split the work among several stages",
    )


def _shown(values: Values) -> str:
    return ", ".join(f'"{axis}: {value}"' for axis, value in values)
