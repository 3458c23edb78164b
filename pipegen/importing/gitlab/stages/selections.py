"""Needs on single combinations of a matrix, as names with brackets in arcs and in `files_from`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, combinations

from pipegen.importing.arcs import SelectedArc
from pipegen.importing.gitlab.reading.jobs import SourceJob, SourcePipeline
from pipegen.importing.gitlab.reading.order import Need, Order, needs_of
from pipegen.importing.gitlab.stages.keys.base import as_map
from pipegen.importing.gitlab.stages.keys.matrices import NUMBERS, Axes, axes_of
from pipegen.importing.gitlab.stages.needs import files_from, received_files
from pipegen.importing.gitlab.stages.stage import Draft
from pipegen.importing.gitlab.stages.texts import names_in
from pipegen.importing.untranslatable import UntranslatableError
from pipegen.structs import replace

_Combination = Mapping[str, str]
_NO_VALUES: _Combination = {}
# The version that introduced them: https://docs.gitlab.com/ci/yaml/matrix_expressions/
_MATRIX_EXPRESSIONS = "18.6"
# With more axes, names have all of them: of 200 combinations, each of seven axes at most multiplies the number.
_MANY_AXES = 7
# Text that brackets cannot have, or that means several values there.
_UNREADABLE = re.compile(r"[,\[\]{}*\n]|^\s|\s$|^$")


def native_matrices(source: SourcePipeline) -> dict[str, dict[str, str]]:
    """Return the jobs whose `parallel` stays raw, with the reason: they need the same combinations of another matrix.

    GitLab names these by values of the needing job. Arcs name both, if they can.
    """
    native: dict[str, str] = {}
    number = -1
    while number < len(native):
        number = len(native)
        for name, job in source.jobs.items():
            needs = [need.name for need in needs_of(job, source) or () if need.own_axes and need.name in source.jobs]
            others = tuple(dict.fromkeys(needs))
            for other in others:
                is_readable = not {name, other} & native.keys() and _selected(job, other, source) is not None
                if not is_readable:
                    reason = f'"{name}" needs the same combinations of "{other}", which has another matrix'
                    native |= {each: reason for each in (name, *others) if each not in native}
    return {name: {"matrix": reason} for name, reason in native.items()}


def numbered(drafts: Iterable[Draft]) -> dict[str, dict[str, str]]:
    """Return that the matrices of *drafts* stay raw whose raw keys read the number of a part: only a script gets it."""
    names = [draft.name for draft in drafts if draft.keys.get("matrix") and not _read_by(draft).isdisjoint(NUMBERS)]
    return {name: {"matrix": "a key that stays raw reads the number of a part"} for name in names}


def _read_by(draft: Draft) -> set[str]:
    """Return the variables that raw keys of *draft* read, and those in the values of these."""
    variables, read = draft.job.variables, set[str]()
    pending = list(names_in(str(draft.raw)))
    while pending:
        name = pending.pop()
        if name in variables and name not in read:
            pending += names_in(variables[name].text)
        read.add(name)
    return read - variables.keys()


def with_selections(order: Order, drafts: Sequence[Draft], source: SourcePipeline) -> Order:
    """Return *order* with the needs of *drafts* on single combinations that arcs can express.

    A stage whose combinations need the same ones of another stage uses its matrix.
    """
    matrices = {draft.name: draft.keys.get("matrix") for draft in drafts}
    paired: dict[str, frozenset[str]] = {}
    selected: dict[str, dict[str, tuple[SelectedArc, ...]]] = {}
    partial: dict[str, dict[str, tuple[SelectedArc, ...]]] = {}
    for draft in drafts:
        single = [need for need in needs_of(draft.job, source) or () if need.combinations is not None or need.own]
        matrix = matrices[draft.name]
        # The order of axes is that in the names of combinations.
        axes = [*as_map(matrix).items()]
        alike = [need for need in single if [*as_map(matrices.get(need.name)).items()] == axes]
        same = [need.name for need in alike if _is_same(need, draft.job)]
        if same and matrix:
            # Combinations of this stage are in pairs with the same ones of the others already.
            last = max(same, key=lambda name: len(paired.get(name, ())))
            draft.keys["matrix"] = {"from": last}
            paired[draft.name] = paired.get(last, frozenset()) | {last}
            draft.paired = paired[draft.name].difference(need.name for need in single if not _is_same(need, draft.job))
        for other in dict.fromkeys(need.name for need in single if matrices.get(need.name) or need.own):
            needs = [need for need in single if need.name == other]
            if other in draft.paired or other not in matrices or (any(map(_reads_values, needs)) and not matrix):
                continue
            arcs = _selected(draft.job, other, source)
            of_files = _of_files(draft.job, other, source, needs) if arcs is not None else None
            if arcs is not None and of_files is not None:
                selected.setdefault(draft.name, {})[other] = arcs
                partial.setdefault(draft.name, {}).update({other: of_files} if of_files != arcs else {})
    order = replace(order, selected=selected, partial_files=partial)
    # A combination that gets no files of a stage has no list of its own.
    for name, sources in files_from(received_files(drafts, order), order).items():
        for need in needs_of(source.jobs[name], source) or ():
            if need.own and need.name in sources and name in selected:
                selected[name].pop(need.name, None)
    return order


def version_setting(drafts: Iterable[Draft]) -> dict[str, str]:
    """Return the setting with which the file keeps matrix expressions, if a matrix of *drafts* is `from` another."""
    is_paired = any("from" in as_map(draft.keys.get("matrix")) for draft in drafts)
    return {"version": _MATRIX_EXPRESSIONS} if is_paired else {}


def _of_files(
    job: SourceJob, other: str, source: SourcePipeline, needs: Sequence[Need]
) -> tuple[SelectedArc, ...] | None:
    """Return arcs for those of *needs* of *job* on *other* by which files arrive, or for all if that is the same."""
    has_both = len({need.has_files for need in needs}) > 1
    return _selected(job, other, source, has_files=has_both)


def _reads_values(need: Need) -> bool:
    """Return whether *need* depends on the values of the needing combination."""
    return bool(need.own_axes or need.own)


def _is_same(need: Need, job: SourceJob) -> bool:
    """Return whether each combination of *job* has *need* on the one with its values of all axes."""
    axes = _axes(job)
    return axes is not None and bool(need.own_axes) and need.own_axes == axes.env.keys() - set(NUMBERS)


def _axes(job: SourceJob) -> Axes | None:
    with suppress(UntranslatableError):
        return axes_of(job)
    return None


def _selected(
    job: SourceJob, other: str, source: SourcePipeline, *, has_files: bool = False
) -> tuple[SelectedArc, ...] | None:
    """Return arcs for the needs of *job* on combinations of *other*; None if names cannot express them.

    If it *has_files*, needs without files are left out.
    """
    needs = [need for need in needs_of(job, source) or () if need.name == other and need.has_files >= has_files]
    own_axes, other_axes = _axes(job), _axes(source.jobs[other])
    is_single = source.jobs[other].get("parallel") is None
    if any(need.combinations is None and not need.own for need in needs):
        return None
    if other_axes is not None:
        by_name = {_name(other, values, other_axes): values for values in other_axes.combinations}
    elif is_single:
        by_name = {other: _NO_VALUES}
    else:
        return None
    is_own = any(map(_reads_values, needs))
    if is_own and own_axes is None:
        return None
    own = own_axes.combinations if is_own and own_axes is not None else ({},)
    groups: dict[tuple[str, ...], list[_Combination]] = {}
    for values in own:
        chosen = dict.fromkeys(chain.from_iterable(need.chosen(by_name, values) for need in needs))
        if chosen or not all(need.own for need in needs):
            groups.setdefault(tuple(name for name in by_name if name in chosen), []).append(values)
    arcs: list[SelectedArc] = []
    for names, values_ in groups.items():
        earlier = _names(other, [*by_name.values()], [by_name[name] for name in names])
        later = _names(job.name, own, values_)
        if not names or earlier is None or later is None:
            return None
        arcs.append(SelectedArc((other, job.name), earlier, later))
    return tuple(arcs)


def _name(stage: str, values: _Combination, axes: Axes) -> str:
    """Return the name of the combination of *stage* with *values*, which have no number beside those of variables."""
    return f"{stage}: {', '.join(value for axis, value in values.items() if axis in axes.env or len(values) == 1)}"


def _names(stage: str, all_: Sequence[_Combination], chosen: Sequence[_Combination]) -> tuple[str, ...] | None:
    """Return the fewest names with brackets for the *chosen* of *all_* combinations of *stage*; None without any."""
    if len(chosen) == len(all_):
        return (stage,)
    axes = [
        axis
        for axis in dict.fromkeys(chain.from_iterable(all_))
        if all(axis in values for values in chosen) and len({values.get(axis) for values in all_}) > 1
    ]
    others = [values for values in all_ if values not in chosen]
    candidates = [
        parts
        for number in (range(1, len(axes) + 1) if len(axes) <= _MANY_AXES else (len(axes),))
        for own in combinations(axes, number)
        if (parts := dict.fromkeys(tuple((axis, values[axis]) for axis in own) for values in chosen))
        and not any(tuple((axis, values.get(axis)) for axis in own) in parts for values in others)
    ]
    best = min(candidates, key=len, default={})
    if not best or any(_UNREADABLE.search(value) for part in best for _, value in part):
        return None
    return tuple(f"{stage}[{','.join(f'{axis}={value}' for axis, value in part)}]" for part in best)
