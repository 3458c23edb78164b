"""The combinations of a matrix stage that a reference names, and the values of their axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Reference
from pipegen.bindings.groups import Groups
from pipegen.config.model import CombinationOf, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.text import Span
from pipegen.structs import Struct, replace


class ReferencedStages(Struct):
    """The stages that a reference names; with *are_all*, they are all combinations of a matrix stage."""

    names: tuple[str, ...]
    are_all: bool = False


def referenced_stages(
    reference: Reference, reader: StageConfig, groups: Groups, report: Report
) -> ReferencedStages | None:
    """Return the stages that the namespace of *reference* names in *reader*; None if it names no stage.

    The stages are empty after an error, which is reported.
    """
    namespace = reference.namespace or ""
    if reference.combinations is not None:
        return _select_combination(reference, reader, groups, report)
    names = groups.resolve(namespace, reader)
    if not names:
        return None
    first = groups.stages[names[0]]
    is_same = reader.combination is not None and names != groups.members[reader.within, namespace]
    return ReferencedStages(names, are_all=first.combination is not None and not is_same)


def axis_value(name: str, default: str | None, stage: StageConfig, at: Span, report: Report) -> str | None:
    """Return the value of the axis *name* in *stage*; None if it has no value, which is reported.

    *default* replaces an empty or missing value.
    """
    combination = stage.combination
    if combination is None:
        report.add(
            codes.NO_MATRIX,
            f'"${{matrix.{name}}}" has no value: stage "{stage.display_name}" has no matrix',
            at=at,
            hint='add "matrix" to the stage; for a value that all stages share, use an input',
        )
        return None
    if name not in combination.axes:
        suggested = suggestion(name, combination.axes)
        report.add(
            codes.UNKNOWN_AXIS,
            f'the matrix of stage "{combination.stage}" has no axis "{name}"',
            at=at,
            hint=f'write "${{matrix.{suggested}}}"' if suggested else f"its axes are {listed(combination.axes)}",
        )
        return None
    value = dict(combination.values).get(name)
    if value is None and default is None:
        report.add(
            codes.UNKNOWN_AXIS,
            f'combination "{stage.own_name}" has no axis "{name}"',
            at=at,
            hint=(f'add the axis to the combination under "include", or write a default: "${{matrix.{name}|…}}"'),
        )
        return None
    return value or default or ""


def _select_combination(
    reference: Reference, reader: StageConfig, groups: Groups, report: Report
) -> ReferencedStages | None:
    """Return the one combination that has the axis values in the brackets of *reference*."""
    namespace = reference.namespace or ""
    names = groups.members.get((reader.within, namespace), ())
    combinations = [
        (name, combination) for name in names if (combination := groups.stages[name].combination) is not None
    ]
    if not combinations:
        if names or not namespace:
            _report_no_matrix(reference, groups.stages[names[0]] if names else reader, report)
            return ReferencedStages(())
        return None
    axis_values = tuple(_axis_values(reference, combinations[0][1], report))
    if None in axis_values:
        return ReferencedStages(())
    matches = [
        name
        for name, combination in combinations
        if set(combination.values).issuperset(value for value in axis_values if value is not None)
    ]
    if len(matches) != 1:
        _report_combinations(reference, matches, [groups.stages[name] for name in names], report)
        return ReferencedStages(())
    return ReferencedStages((matches[0],))


def _axis_values(reference: Reference, combination: CombinationOf, report: Report) -> Iterator[tuple[str, str] | None]:
    """Yield each axis in the brackets with its value; None for an unknown axis, which is reported."""
    for part in (reference.combinations or "").split(","):
        axis, equals, value = (word.strip() for word in part.partition("="))
        if equals and axis in combination.axes:
            yield axis, value
            continue
        suggested = suggestion(axis, combination.axes)
        report.add(
            codes.UNKNOWN_AXIS,
            f'the matrix of stage "{combination.stage}" has no axis "{axis}"'
            if equals
            else f'"{reference}" does not name the axis of the value "{axis}"',
            at=reference.span,
            hint=f'write "{suggested}={value}"'
            if equals and suggested
            else f'write "[axis=value]"; the axes are {listed(combination.axes)}',
        )
        yield None


def _report_no_matrix(reference: Reference, stage: StageConfig, report: Report) -> None:
    report.add(
        codes.NO_MATRIX,
        f'"{reference}" names a combination, but stage "{stage.display_name}" has no matrix',
        at=reference.span,
        related=[Label(stage.name.span, 'no "matrix" here')],
        hint=f'write "{replace(reference, combinations=None)}"',
    )


def _report_combinations(
    reference: Reference, matches: Sequence[str], combinations: Sequence[StageConfig], report: Report
) -> None:
    listed_stages = [stage for stage in combinations if stage.name.value in matches] or combinations
    report.add(
        codes.UNKNOWN_COMBINATION,
        f'"{reference}" matches {len(matches) or "none"} of the {len(combinations)} combinations of '
        f'stage "{combinations[0].display_name}"',
        at=reference.span,
        related=[Label(combinations[0].name.span, "its combinations")],
        hint=f"name axes and values of exactly one combination; {'these match' if matches else 'there are'} "
        + listed([_shown_values(stage) for stage in listed_stages], limit=12)
        + (f'. Write "{replace(reference, combinations=None)}" for all combinations' if matches else ""),
    )


def _shown_values(stage: StageConfig) -> str:
    return (
        ",".join(f"{axis}={value}" for axis, value in stage.combination.values) if stage.combination is not None else ""
    )
