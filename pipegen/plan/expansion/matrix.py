"""The combinations of values that a matrix stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from math import prod

from pipegen.config.model import StageConfig, StepValue
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Mapping, Scalar
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct

Values = tuple[tuple[str, str], ...]

# GitLab's limit for `parallel: matrix`, and more than anybody looks at.
MOST_COMBINATIONS = 200
# What is gone through to see what an `exclude` leaves.
_MOST_COMBINATIONS = 100_000
_KEYS = ("include", "exclude", "from")


class Matrix(Struct):
    """The *combinations* of a matrix, each axis with its value, and all *axes* in the order in which they are named."""

    axes: tuple[str, ...]
    combinations: tuple[Values, ...]


def source(matrix: StepValue) -> Scalar | None:
    """Return the name of the stage whose combinations *matrix* takes, if it does."""
    body = matrix.node
    node = body.get("from") if isinstance(body, Mapping) else None
    return node if isinstance(node, Scalar) else None


def check_source(stage: StageConfig, matrix: StepValue, report: Report) -> None:
    """Report what else the *matrix* of *stage* says, which takes its combinations from another one."""
    others = [entry for entry in _entries(matrix) if entry.key.text != "from"]
    if others:
        report.add(
            codes.INVALID_VALUE,
            f'the matrix of stage "{stage.said}" has combinations of its own, and takes those of another stage',
            at=others[0].key.span,
            hint=f'remove {listed([entry.key.text for entry in others])}, or "from"',
        )


def read_matrix(stage: StageConfig, matrix: StepValue, report: Report) -> Matrix:
    """Return what the *matrix* of *stage* comes to; what is wrong with it is reported."""
    axes = [entry for entry in _entries(matrix) if entry.key.text not in _KEYS]
    for axis in axes:
        _check_axis(axis, report)
    if prod(len(_items(axis.value)) for axis in axes) > _MOST_COMBINATIONS:
        _report_too_many(stage, matrix, f"more than {_MOST_COMBINATIONS:,}", report)
        return Matrix((), ())
    excluded = [(combination, set(combination)) for combination, _ in _combinations(matrix, "exclude")]
    found = [tuple(values) for values in product(*map(_values, axes))] if axes else []
    kept = {values: matrix.span for values in found if not any(out <= set(values) for _, out in excluded)}
    _check_excluded(matrix, found, report)
    for values, span in _combinations(matrix, "include"):
        same = next((one for one in kept if set(one) == set(values)), None)
        if same is not None:
            _report_twice(values, span, kept[same] if kept[same] is not matrix.span else None, report)
        else:
            kept[values] = span
    if not kept:
        report.add(
            codes.EMPTY_MATRIX,
            f'the matrix of stage "{stage.said}" has no combinations' + (": all are excluded" if found else ""),
            at=matrix.span,
            hint="give an axis a list of values" if not found else 'take something out of "exclude"',
        )
    if len(kept) > MOST_COMBINATIONS:
        _report_too_many(stage, matrix, str(len(kept)), report)
    return Matrix(_axes(axes, kept), tuple(islice(kept, MOST_COMBINATIONS)))


def _axes(axes: Sequence[Entry], combinations: Iterable[Values]) -> tuple[str, ...]:
    named = [axis.key.text for axis in axes]
    return tuple(dict.fromkeys([*named, *(axis for values in combinations for axis, _ in values)]))


def _values(axis: Entry) -> list[tuple[str, str]]:
    return [(axis.key.text, value) for value in dict.fromkeys(item.text for item in _items(axis.value))]


def _combinations(matrix: StepValue, key: str) -> Iterator[tuple[Values, Span]]:
    """Yield the combinations that stand under *key*, each with its place."""
    body = matrix.node
    node = body.get(key) if isinstance(body, Mapping) else None
    for item in node.items if isinstance(node, List) else ():
        entries = item.entries if isinstance(item, Mapping) else ()
        pairs = ((entry.key.text, entry.value.text) for entry in entries if isinstance(entry.value, Scalar))
        span = entries[0].key.span.to(entries[-1].value.span) if entries else item.span
        yield tuple(pairs), span


def _check_axis(axis: Entry, report: Report) -> None:
    seen: dict[str, Scalar] = {}
    for value in _items(axis.value):
        first = seen.setdefault(value.text, value)
        if first is not value:
            _report_twice(((axis.key.text, value.text),), value.span, first.span, report)


def _check_excluded(matrix: StepValue, found: Sequence[Values], report: Report) -> None:
    """Report what an `exclude` names and no combination fits."""
    known = {axis: {value for values in found for name, value in values if name == axis} for axis, _ in _pairs(found)}
    for values, span in _combinations(matrix, "exclude"):
        if any(set(values) <= set(one) for one in found):
            continue
        wrong = next(((axis, value) for axis, value in values if value not in known.get(axis, ())), values[0])
        axis, value = wrong
        near = suggestion(axis, known) if axis not in known else suggestion(value, known[axis])
        meant = f"{near}: {value}" if axis not in known else f"{axis}: {near}"
        report.add(
            codes.IDLE_EXCLUDE,
            f'"exclude" leaves nothing out: no combination has {_shown(values)}',
            at=span,
            hint=f'write "{meant}"' if near else "remove it, or name values that the axes have",
        )


def _pairs(found: Sequence[Values]) -> Values:
    return found[0] if found else ()


def _report_twice(values: Values, span: Span, first: Span | None, report: Report) -> None:
    report.add(
        codes.DUPLICATE_COMBINATION,
        f"the matrix has {_shown(values)} twice",
        at=span,
        label="again",
        also=[Label(first, "first")] if first is not None else [],
        hint="remove one of them",
    )


def _report_too_many(stage: StageConfig, matrix: StepValue, number: str, report: Report) -> None:
    report.add(
        codes.TOO_MANY_COMBINATIONS,
        f'the matrix of stage "{stage.said}" has {number} combinations; {MOST_COMBINATIONS} are the most',
        at=matrix.span,
        hint="leave values out, or split the work among several stages",
    )


def _shown(values: Values) -> str:
    return ", ".join(f'"{axis}: {value}"' for axis, value in values)


def _entries(matrix: StepValue) -> tuple[Entry, ...]:
    return matrix.node.entries if isinstance(matrix.node, Mapping) else ()


def _items(node: object) -> tuple[Scalar, ...]:
    return tuple(item for item in node.items if isinstance(item, Scalar)) if isinstance(node, List) else ()
