"""`parallel: matrix`: one job for all combinations of a matrix stage, where they differ only in the values of axes.

The values are variables of the job. Combinations that also differ in their needs or in keys without variables, or that
others need one by one, extend a hidden job and have the values as variables. Combinations with scripts that differ in
more stay jobs of their own, and so do those whose axes could be variables that the runner or programs read, unless
these are variables of the jobs with the same values already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.plan.model import Job as PlanJob
from pipegen.shell.quote import Literal, assigned
from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.job_references import JobReferences
from pipegen.targets.gitlab.condensed.matrix_needs import (
    MatrixFeatures,
    MatrixJob,
    are_of_all,
    is_usable,
    merged_needs,
    with_needs,
)
from pipegen.targets.gitlab.condensed.matrix_texts import (
    Values,
    axis_variables,
    can_be_variable,
    is_plain,
    merge_rules,
)
from pipegen.targets.gitlab.model import (
    EMPTY_JOB,
    ChildPipeline,
    Combinations,
    Document,
    EnvironmentKeys,
    GitLabJob,
    ScriptEntry,
    VariableEntry,
)
from pipegen.targets.gitlab.names import allowed
from pipegen.targets.templates import ASSIGNMENT, DifferentError, Merger

# GitLab expands nothing in such a value, and shows it in the name of the job.
_VARIABLE_VALUE = r"(?:[^\s$%,\[\]](?:[^\n$%,\[\]]*[^\s$%,\[\]])?)?"
# A value that is the same in the shell and in a variable.
_DEFAULT = r"[A-Za-z0-9_./:@+=-]+"
# A shell variable with the value of another.
_COPY = r"([A-Za-z_][A-Za-z0-9_]*)=\$\{?([A-Za-z0-9_]+)\}?"
# Variables that GitLab sets itself: https://docs.gitlab.com/ci/variables/predefined_variables/
_NUMBER, _TOTAL = "CI_NODE_INDEX", "CI_NODE_TOTAL"

# Raw keys that jobs of a matrix cannot have.
_OF_ONE_JOB = frozenset({"parallel", "trigger"})
# Fields in which combinations may differ, so that each has its own.
_OWN_FIELDS = ("stage", "image", "services", "tags", "rules", "environment", "manual_confirmation", "caches")


def with_matrices(document: Document, plan_jobs: Mapping[str, PlanJob], features: MatrixFeatures) -> Document:
    """Return *document* with a job for each matrix whose combinations allow it; *plan_jobs* are by job name.

    Names of jobs in a pipeline with children are not changed, because jobs of these may need them.
    """
    groups = _groups(document, plan_jobs)
    if not groups or any(isinstance(job.trigger, ChildPipeline) for job in document.jobs):
        return document
    variables = frozenset(variable.name for variable in document.variables)
    taken, references = {hidden.name for hidden in document.hidden}, JobReferences.of(document.jobs)
    matrices: dict[str, MatrixJob] = {}
    extended: dict[str, GitLabJob] = {}
    for title, group in groups.items():
        for jobs in _candidates(group, plan_jobs):
            matrix = _matrix(title, jobs, plan_jobs, variables, has_tag_variables=features.tags)
            if matrix is not None:
                break
        else:
            continue
        usable = with_needs(matrix, jobs, matrices, features) if not matrix.own_fields else None
        if usable is not None and is_usable(matrix, references, has_single_needs=features.single):
            matrices |= dict.fromkeys(matrix.combinations, _with_parts(usable, jobs, references))
        elif len(group) > 1 and f".{title}" not in taken and not matrix.needs_numbers:
            extended |= _extending(matrix, jobs)
    return replace(document, jobs=tuple(_jobs(document, matrices, extended))) if matrices or extended else document


def _groups(document: Document, plan_jobs: Mapping[str, PlanJob]) -> dict[str, list[GitLabJob]]:
    """Return the jobs of each matrix, by the name of the job that may replace them."""
    groups: dict[str, list[GitLabJob]] = {}
    for job in document.jobs:
        plan_job = plan_jobs.get(job.name)
        if plan_job is not None and plan_job.combination is not None:
            groups.setdefault(matrix_name(job.name, plan_job), []).append(job)
    taken = {job.name for job in document.jobs}
    return {
        title: jobs
        for title, jobs in groups.items()
        if title not in taken and (len(jobs) > 1 or _has_variables(jobs[0], plan_jobs))
    }


def _has_variables(job: GitLabJob, plan_jobs: Mapping[str, PlanJob]) -> bool:
    """Return whether the values of the combination *job* are variables of it, so that a matrix can set them."""
    return all(VariableEntry(axis, value) in job.variables for axis, value in _values([job], plan_jobs)[job.name])


def matrix_name(name: str, plan_job: PlanJob) -> str:
    """Return the name of the job that may replace the combination *plan_job*, whose job has the *name*."""
    return allowed(name.removesuffix(plan_job.stage) + plan_job.title)


def _candidates(group: Sequence[GitLabJob], plan_jobs: Mapping[str, PlanJob]) -> Iterator[list[GitLabJob]]:
    """Yield those of *group*, combinations of a matrix, that may be one job, then fewer of them."""
    values = _values(group, plan_jobs)
    usable = [
        job
        for job in group
        if job.trigger is None
        and _OF_ONE_JOB.isdisjoint(job.raw)
        and all(re.fullmatch(_VARIABLE_VALUE, value) for _, value in values[job.name])
    ]
    plain = [job for job in usable if all(is_plain(value) for _, value in values[job.name])]
    tried: list[list[str]] = []
    for jobs in (usable, plain, _uniform(usable, values), _uniform(plain, values)):
        names = [job.name for job in jobs]
        if len(jobs) >= min(len(group), 2) and names not in tried:
            tried.append(names)
            yield jobs


def _uniform(jobs: Sequence[GitLabJob], values: Mapping[str, Values]) -> list[GitLabJob]:
    """Return those of *jobs* that have the axes of the first."""
    axes = [tuple(dict(values[job.name])) for job in jobs]
    return [job for job, own in zip(jobs, axes, strict=True) if own == axes[0]]


def _values(jobs: Sequence[GitLabJob], plan_jobs: Mapping[str, PlanJob]) -> dict[str, Values]:
    """Return the variables of the combinations *jobs* with their values, by name of the job."""
    return axis_variables(
        jobs, {job.name: combination.values for job in jobs if (combination := plan_jobs[job.name].combination)}
    )


def _extending(matrix: MatrixJob, jobs: Sequence[GitLabJob]) -> dict[str, GitLabJob]:
    """Return *jobs* by name, extending a hidden job, which is under the name of the first with a dot."""
    has_stage = "stage" not in matrix.own_fields
    hidden = replace(
        matrix.job,
        name=f".{matrix.job.name}",
        stage=jobs[0].stage,
        has_stage_of_extended=not has_stage,
        combinations=None,
    )
    extended = {
        job.name: GitLabJob(
            name=job.name,
            has_stage_of_extended=has_stage,
            extends=hidden.name,
            needs=job.needs,
            dependencies=job.dependencies,
            other_files=job.other_files,
            variables=tuple(VariableEntry(axis, value) for axis, value in matrix.combinations[job.name]),
            **{name: getattr(job, name) for name in dict.fromkeys(("stage", *matrix.own_fields))},
        )
        for job in jobs
    }
    return {f".{jobs[0].name}": hidden, **extended}


def _matrix(
    title: str,
    jobs: Sequence[GitLabJob],
    plan_jobs: Mapping[str, PlanJob],
    variables: frozenset[str],
    *,
    has_tag_variables: bool,
) -> MatrixJob | None:
    """Return the matrix job *title* for *jobs*, or None if they differ in more than values of axes and own fields.

    An axis that some lack is a variable of the job. *variables* are those of the file.
    """
    values = _values(jobs, plan_jobs)
    maps = {name: dict(own) for name, own in values.items()}
    axes = [*max(maps.values(), key=len)]
    lacking = [axis for axis in axes if any(axis not in own for own in maps.values())]
    defaults = {axis: _default(axis, jobs, maps) for axis in lacking}
    numbered = jobs if lacking else _without_numbers(jobs)
    combinations = {name: {axis: own.get(axis, defaults.get(axis, "")) for axis in axes} for name, own in maps.items()}
    # The first has a value for each axis, if any has.
    members = sorted(numbered, key=lambda job: (-len(maps[job.name]), [*combinations[job.name].values()].count("")))
    ordered = tuple(combinations[job.name] for job in members)
    if any(not own.keys() <= {*axes} for own in maps.values()) or any(
        any(own[axis] for own in ordered[1:]) and not ordered[0][axis] for axis in axes
    ):
        return None
    if any(_is_used(axis, members, combinations, variables) for axis in axes):
        return None
    own_fields = _own_fields(members, ordered, has_tag_variables=has_tag_variables)
    unified = _unified(title, members, ordered, own_fields)
    if unified is None:
        return None
    unified = replace(
        unified,
        combinations=Combinations(tuple(values.values())),
        variables=(*(VariableEntry(axis, defaults[axis]) for axis in lacking), *unified.variables),
    )
    return MatrixJob(unified, values, needs_numbers=numbered is not jobs, own_fields=own_fields)


def _default(axis: str, jobs: Sequence[GitLabJob], values: Mapping[str, Mapping[str, str]]) -> str:
    """Return the value of a variable in combinations without *axis*, which has its value in others; "" if none has."""
    first = next(job for job in jobs if axis in values[job.name])
    lacking = [job for job in jobs if axis not in values[job.name]]
    value = values[first.name][axis]
    names = {variable.name for variable in first.variables if variable.value == value}
    defaults = [entry.value for job in lacking for entry in job.variables if entry.name in names]
    names = {match[1] for match in _assignments(first) if match[2] == assigned((Literal(value),))}
    defaults += [match[2] for job in lacking for match in _assignments(job) if match[1] in names]
    return next((default for default in defaults if re.fullmatch(_DEFAULT, default)), "")


def _assignments(job: GitLabJob) -> Iterator[re.Match[str]]:
    """Yield the assignments of *job* that are whole commands."""
    return filter(None, (ASSIGNMENT.fullmatch(entry.text) for entry in job.script))


def _own_fields(
    jobs: Sequence[GitLabJob], values: Sequence[Mapping[str, str]], *, has_tag_variables: bool
) -> tuple[str, ...]:
    """Return the fields that each of *jobs* must have itself, because GitLab expands no variables where they differ."""
    merger = Merger(merge_rules(values))

    def is_own(name: str) -> bool:
        fields = [getattr(job, name) for job in jobs]
        if all(field == fields[0] for field in fields):
            return False
        if name == "tags":
            return not has_tag_variables
        # GitLab requires the same name in the job that stops an environment, and does not expand variables for this.
        if isinstance(own := fields[0], EnvironmentKeys) and (own.stops or own.on_stop):
            return True
        try:
            merger.merged(fields)
        except DifferentError:
            return True
        return False

    return tuple(filter(is_own, _OWN_FIELDS))


def _with_parts(matrix: MatrixJob, jobs: Sequence[GitLabJob], references: JobReferences) -> MatrixJob:
    """Return *matrix* of *jobs* as a number of parts if its only axis numbers them, and nothing needs single ones.

    The runner knows the number of a part; GitLab itself may not when it expands names.
    """
    numbers = [{_NUMBER: str(number)} for number in range(1, len(jobs) + 1)]
    values = [tuple(value for _, value in own) for own in matrix.combinations.values()]
    if matrix.has_expressions or values != [tuple(own.values()) for own in numbers]:
        return matrix
    needs = references.needs_of(matrix.combinations)
    if not all(are_of_all(own, len(matrix.combinations)) for own in needs.values()):
        return matrix
    job = _unified(matrix.job.name, _without_numbers(jobs), tuple(numbers))
    if job is None or _NUMBER in repr((job.tags, job.environment, job.resource_group)):
        return matrix
    parts = Combinations(tuple(matrix.combinations.values()), are_parts=True)
    of_matrix = matrix.job
    job = replace(
        job,
        combinations=parts,
        needs=of_matrix.needs,
        dependencies=of_matrix.dependencies,
        other_files=of_matrix.other_files,
    )
    return replace(matrix, job=job)


def _is_used(
    axis: str, jobs: Sequence[GitLabJob], combinations: Mapping[str, Mapping[str, str]], variables: frozenset[str]
) -> bool:
    """Return whether the name of *axis* has another meaning: a variable of the file, a job, its script or a program."""
    in_rules = (variable for job in jobs for rule in job.rules for variable, _ in rule.variables)
    raw_variables = (job.raw.get("variables") for job in jobs)
    if axis in variables or axis in in_rules or any(isinstance(own, dict) and axis in own for own in raw_variables):
        return True
    if any(variable.name == axis for job in jobs for variable in job.variables):
        return any(VariableEntry(axis, combinations[job.name][axis]) not in job.variables for job in jobs)
    # Jobs of other files may read a variable with the name of the axis.
    if not can_be_variable(axis) or any("extends" in job.raw for job in jobs):
        return True
    if any(
        _is_in_script(axis, combinations[job.name][axis], script)
        for job in jobs
        for script in ((*job.before_script, *job.script), job.after_script)
    ):
        return True
    # Jobs may differ in rules and other fields of their own.
    return any(
        re.search(rf"\$\{{?{axis}\b", str(replace(job, before_script=(), script=(), after_script=()))) for job in jobs
    )


def _is_in_script(name: str, value: str, script: Sequence[ScriptEntry]) -> bool:
    """Return whether *script* assigns or reads a variable with the *name*, other than one with the *value* itself."""
    own = f"{name}={assigned((Literal(value),))}"
    others = [entry.text for entry in script if entry.text != own]
    used = rf"(?m)^\s*(?:export )?{name}=" + ("" if len(others) < len(script) else rf"|\$\{{?{name}\b")
    return any(re.search(used, text) for text in others)


def _unified(
    title: str, jobs: Sequence[GitLabJob], values: tuple[Mapping[str, str], ...], own_fields: Sequence[str] = ()
) -> GitLabJob | None:
    """Return the job *title*, without needs and *own_fields*, that equals each of *jobs* with its *values*, or None."""
    combinations = Combinations(tuple(tuple(each.items()) for each in values))
    alike = [
        replace(
            job,
            name=title,
            combinations=combinations,
            needs=(),
            dependencies=None,
            other_files=(),
            variables=tuple(variable for variable in job.variables if variable.name not in values[0]),
            **{name: getattr(EMPTY_JOB, name) for name in own_fields},
        )
        for job in jobs
    ]
    try:
        job = Merger(merge_rules(values)).merged(alike)
    except DifferentError:
        return None
    scripts = (job.before_script, job.script, job.after_script)
    before, main, after = (_in_place(each, values[0]) for each in scripts)
    return replace(job, before_script=before, script=main, after_script=after)


def _without_numbers(jobs: Sequence[GitLabJob]) -> Sequence[GitLabJob]:
    """Return *jobs*, the combinations of a matrix in order, without exports of the numbers that GitLab sets itself."""
    exports = [
        [ScriptEntry(f"export {_NUMBER}={index}"), ScriptEntry(f"export {_TOTAL}={len(jobs)}")]
        for index in range(1, len(jobs) + 1)
    ]
    if not all(set(own).issubset(job.script) for job, own in zip(jobs, exports, strict=True)):
        return jobs
    return [
        replace(job, script=_without(job.script, own), after_script=_without(job.after_script, own))
        for job, own in zip(jobs, exports, strict=True)
    ]


def _without(entries: tuple[ScriptEntry, ...], others: Sequence[ScriptEntry]) -> tuple[ScriptEntry, ...]:
    return tuple(entry for entry in entries if entry not in others)


def _in_place(entries: tuple[ScriptEntry, ...], axes: Iterable[str]) -> tuple[ScriptEntry, ...]:
    """Return *entries* that read the variables of *axes* themselves, not shell variables with their values."""
    copies = {
        match[1]: match[2]
        for entry in entries
        if (match := re.fullmatch(_COPY, entry.text)) is not None and match[2] in axes
    }
    if not copies:
        return entries
    name = re.compile(rf"\b(?:{'|'.join(copies)})\b")
    return tuple(
        replace(entry, text=name.sub(lambda match: copies[match[0]], entry.text))
        for entry in entries
        if re.fullmatch(_COPY, entry.text) is None or entry.text.partition("=")[0] not in copies
    )


def _jobs(
    document: Document, matrices: Mapping[str, MatrixJob], extended: Mapping[str, GitLabJob]
) -> Iterator[GitLabJob]:
    """Yield the jobs of *document*, each matrix or hidden job in place of its first combination or before it."""
    written: set[str] = set()
    for job in document.jobs:
        matrix = matrices.get(job.name)
        if matrix is not None and matrix.job.name in written:
            continue
        if (hidden := extended.get(f".{job.name}")) is not None:
            yield hidden
        current = extended.get(job.name, job)
        if matrix is not None:
            current = matrix.job
        written.add(current.name)
        needs = tuple(merged_needs(current.needs, matrices))
        dependencies = current.dependencies
        if dependencies is not None:
            titles = (matrices[name].job.name if name in matrices else name for name in dependencies)
            dependencies = tuple(dict.fromkeys(titles))
        yield replace(current, needs=needs, dependencies=dependencies)
