"""The needs of a matrix job, and needs of others on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.structs import Struct, replace
from pipegen.targets.gitlab.condensed.job_references import JobReferences
from pipegen.targets.gitlab.model import GitLabJob, NeedEntry
from pipegen.targets.gitlab.names import LONGEST


class MatrixJob(Struct):
    """A matrix job, and the values of the combinations that it replaces, by the names of their jobs.

    If it *needs_numbers*, GitLab must set the numbers of the combinations, which it does not for jobs of their own. The
    *own_fields* differ in more than the values, so that each combination has its own. In its needs, GitLab inserts the
    values of each combination if they have *expressions*.
    """

    job: GitLabJob
    combinations: Mapping[str, tuple[tuple[str, str], ...]]
    needs_numbers: bool
    own_fields: tuple[str, ...]
    has_expressions: bool = False


class MatrixFeatures(Struct, kw_only=True):
    """What GitLab supports: needs of *single* combinations of a matrix, *expressions* in them, and values in *tags*."""

    single: bool
    expressions: bool
    tags: bool


def with_needs(
    matrix: MatrixJob, jobs: Sequence[GitLabJob], matrices: Mapping[str, MatrixJob], features: MatrixFeatures
) -> MatrixJob | None:
    """Return *matrix* with the needs of *jobs*, None if they differ in more than the combinations of *matrices*."""
    first, *others = jobs
    if any((job.dependencies, job.other_files) != (first.dependencies, first.other_files) for job in others):
        return None
    needs = first.needs
    if has_expressions := any(job.needs != first.needs for job in others):
        if not features.expressions or any(len(job.needs) != len(first.needs) for job in others):
            return None
        alike = [_common_need(needs, matrix, matrices) for needs in zip(*(job.needs for job in jobs), strict=True)]
        needs = tuple(need for need in alike if need is not None)
        if len(needs) < len(alike):
            return None
    job = replace(matrix.job, needs=needs, dependencies=first.dependencies, other_files=first.other_files)
    return replace(matrix, job=job, has_expressions=has_expressions)


def _common_need(needs: Sequence[NeedEntry], matrix: MatrixJob, matrices: Mapping[str, MatrixJob]) -> NeedEntry | None:
    """Return the need of *matrix* in place of *needs*, one of each combination, None if there is none.

    Each combination may need that of another matrix with the same values.
    """
    first, *others = needs
    if all(need == first for need in others):
        return first
    needed = matrices.get(first.job)
    if needed is None or any(replace(need, job=first.job) != first for need in others):
        return None
    axes = [axis for axis, _ in needed.combinations[first.job]]
    for need, values in zip(needs, map(dict, matrix.combinations.values()), strict=True):
        same = tuple((axis, values[axis]) for axis in axes if axis in values)
        if len(same) < len(axes) or needed.combinations.get(need.job) != same:
            return None
        # GitLab inserts values as replacements of Ruby, in which a backslash is special.
        if any("\\" in value for _, value in same):
            return None
    return replace(first, job=needed.job.name, combinations=(tuple((axis, f"$[[ matrix.{axis} ]]") for axis in axes),))


def is_usable(matrix: MatrixJob, references: JobReferences, *, has_single_needs: bool) -> bool:
    """Return whether all *references* to the combinations of *matrix* can be to one job.

    GitLab refuses a need on a job whose name is too long.
    """
    names = matrix.combinations.keys()
    lists = [", ".join(value for _, value in own) for own in matrix.combinations.values()]
    if len(f"{matrix.job.name}: []") + max(map(len, lists)) > LONGEST:
        return False
    for name, needs in references.needs_of(names).items():
        if name in names or (not are_of_all(needs, len(names)) and not has_single_needs):
            return False
    numbers = references.readers_of(names).values()
    return all(number == len(names) for number in numbers) and references.stops.isdisjoint(names)


def are_of_all(needs: Sequence[NeedEntry], count: int) -> bool:
    """Return whether a single need can replace *needs* on combinations of a matrix, which has *count* of them."""
    return len(needs) == count and len({replace(need, job="") for need in needs}) == 1


def merged_needs(needs: Sequence[NeedEntry], matrices: Mapping[str, MatrixJob]) -> Iterator[NeedEntry]:
    """Yield *needs*, with one for all combinations of a matrix job, or for those whose files the job gets or not."""
    names: dict[NeedEntry, list[str]] = {}
    for need in needs:
        if need.job in matrices:
            names.setdefault(replace(need, job=matrices[need.job].job.name), []).append(need.job)
    for need in needs:
        matrix = matrices.get(need.job)
        if matrix is None:
            yield need
            continue
        merged = replace(need, job=matrix.job.name)
        if own := names.pop(merged, ()):
            is_whole = len(own) == len(matrix.combinations)
            combinations = () if is_whole else tuple(matrix.combinations[name] for name in own)
            yield replace(merged, combinations=combinations)
