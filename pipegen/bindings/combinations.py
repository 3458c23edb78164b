"""The combinations of a matrix stage that a reference names, and the values of their axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Reference
from pipegen.bindings.groups import Groups
from pipegen.config.model import CombinationOf, StageConfig, StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.text import Span
from pipegen.structs import Struct, replace


class CombinationSelection(Struct):
    """The *text* in brackets, `axis=value,…`, of the reference or name *written* at *span*."""

    text: str
    written: str
    span: Span

    def matching(self, combinations: Sequence[StageConfig], report: Report) -> list[StageConfig] | None:
        """Return the *combinations* of a stage that have the values of the axes; None after an error in these."""
        if combinations[0].combination is None:
            return None
        axis_values = tuple(self._axis_values(combinations[0].combination, report))
        if None in axis_values:
            return None
        return [
            stage
            for stage in combinations
            if stage.combination is not None and set(axis_values) <= set(stage.combination.values)
        ]

    def _axis_values(self, combination: CombinationOf, report: Report) -> Iterator[tuple[str, str] | None]:
        """Yield each axis in the brackets with its value; None for an unknown axis, which is reported."""
        for part in self.text.split(","):
            axis, equals, value = (word.strip() for word in part.partition("="))
            if equals and axis in combination.axes:
                yield axis, value
                continue
            suggested = suggestion(axis, combination.axes)
            report.add(
                codes.UNKNOWN_AXIS,
                f'the matrix of stage "{combination.stage}" has no axis "{axis}"'
                if equals
                else f'"{self.written}" does not name the axis of the value "{axis}"',
                at=self.span,
                hint=f'write "{suggested}={value}"'
                if equals and suggested
                else f'write "[axis=value]"; the axes are {listed(combination.axes)}',
            )
            yield None


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
            hint='"include" adds combinations and completes no others: write each one there, with all its axes and '
            f'without the lists of values, or a default: "${{matrix.{name}|…}}"',
        )
        return None
    return value or default or ""


def _select_combination(
    reference: Reference, reader: StageConfig, groups: Groups, report: Report
) -> ReferencedStages | None:
    """Return the one combination that has the axis values in the brackets of *reference*."""
    namespace = reference.namespace or ""
    names = groups.members.get((reader.within, namespace), ())
    combinations = [stage for name in names if (stage := groups.stages[name]).combination is not None]
    if not combinations:
        if names or not namespace:
            stage = groups.stages[names[0]] if names else reader
            whole = str(replace(reference, combinations=None))
            _report_no_matrix(str(reference), whole, stage, reference.span, report)
            return ReferencedStages(())
        return None
    selection = CombinationSelection(reference.combinations or "", str(reference), reference.span)
    matches = selection.matching(combinations, report)
    if matches is None or len(matches) != 1:
        if matches is not None:
            _report_combinations(reference, matches, combinations, report)
        return ReferencedStages(())
    return ReferencedStages((matches[0].name.value,))


def selected_stages(name: StageName, stages: Sequence[StageConfig], report: Report) -> tuple[StageConfig, ...]:
    """Return those of *stages*, which have the same display name, that *name* selects; () after an error.

    Without brackets, these are all of them.
    """
    if name.combinations is None:
        return tuple(stages)
    combinations = [stage for stage in stages if stage.combination is not None]
    if not combinations:
        _report_no_matrix(name.written, name.value, stages[0], name.span, report)
        return ()
    matches = CombinationSelection(name.combinations, name.written, name.span).matching(combinations, report)
    if matches is not None and not matches:
        hint = f"name axes and values of a combination; there are {_shown(combinations)}"
        _report_matches(name.written, "none", combinations, name.span, hint, report)
    return tuple(matches or ())


def _report_no_matrix(written: str, whole: str, stage: StageConfig, at: Span, report: Report) -> None:
    report.add(
        codes.NO_MATRIX,
        f'"{written}" names a combination, but stage "{stage.display_name}" has no matrix',
        at=at,
        related=[Label(stage.name.span, 'no "matrix" here')],
        hint=f'write "{whole}"',
    )


def _report_combinations(
    reference: Reference, matches: Sequence[StageConfig], combinations: Sequence[StageConfig], report: Report
) -> None:
    """Report that not exactly one of *combinations* matches."""
    hint = (
        f"name axes and values of exactly one combination; {'these match' if matches else 'there are'} "
        + _shown(matches or combinations)
        + (f'. Write "{replace(reference, combinations=None)}" for all combinations' if matches else "")
    )
    _report_matches(str(reference), str(len(matches) or "none"), combinations, reference.span, hint, report)


def _report_matches(
    written: str, number: str, combinations: Sequence[StageConfig], at: Span, hint: str, report: Report
) -> None:
    report.add(
        codes.UNKNOWN_COMBINATION,
        f'"{written}" matches {number} of the {len(combinations)} combinations of '
        f'stage "{combinations[0].display_name}"',
        at=at,
        related=[Label(combinations[0].name.span, "its combinations")],
        hint=hint,
    )


def _shown(stages: Sequence[StageConfig]) -> str:
    return listed([_shown_values(stage) for stage in stages], limit=12)


def _shown_values(stage: StageConfig) -> str:
    return (
        ",".join(f"{axis}={value}" for axis, value in stage.combination.values) if stage.combination is not None else ""
    )
