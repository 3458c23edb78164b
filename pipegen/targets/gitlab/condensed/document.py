"""The shortest form of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from pipegen.plan.model import Job as PlanJob
from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.conditions import with_common_when, with_shared_rules
from pipegen.targets.gitlab.condensed.defaults import with_default_tools, with_defaults
from pipegen.targets.gitlab.condensed.mails import with_shared_mails
from pipegen.targets.gitlab.condensed.matrices import matrix_name, with_matrices
from pipegen.targets.gitlab.condensed.matrix_needs import MatrixFeatures
from pipegen.targets.gitlab.condensed.merged_keys import with_merged_keys
from pipegen.targets.gitlab.condensed.names import TemplateNames
from pipegen.targets.gitlab.condensed.needs import Sources, reads_no_files, short_needs, sources
from pipegen.targets.gitlab.condensed.pipeline_keys import with_pipeline_keys
from pipegen.targets.gitlab.condensed.scripts import (
    may_share_scripts,
    with_ends,
    with_hidden_scripts,
    with_starts,
    with_tool_starts,
)
from pipegen.targets.gitlab.condensed.shared_keys import with_shared_keys
from pipegen.targets.gitlab.condensed.stage_names import stage_names, with_external
from pipegen.targets.gitlab.jobs.hidden_jobs import without_single_images, without_single_users
from pipegen.targets.gitlab.model import HELPER, Document, GitLabJob, VariableEntry

_OF_RUNNER = ("GIT_STRATEGY", HELPER)


def condensed(
    document: Document,
    plan_jobs: Mapping[str, PlanJob],
    title: Callable[[str], str],
    pipeline: Callable[[str], str],
    *,
    has_same_stage: bool,
    has_when_beside_rules: bool,
    matrix_features: MatrixFeatures,
) -> Document:
    """Return *document* in its shortest form.

    *plan_jobs* are the jobs of the plan by the names of their jobs, *title* returns the name of a job in the name of
    its stage, *pipeline* the name of its pipeline, "" for the only one. With *has_same_stage*, jobs may need others of
    their stage, with *has_when_beside_rules*, a job with rules may have `when`.
    """
    pipelines = _pipelines(document, plan_jobs, pipeline)
    is_single = not any(pipelines.values())
    document = with_matrices(document, plan_jobs, matrix_features)
    if has_when_beside_rules:
        document = with_common_when(document)
    whole = document = with_shared_mails(without_single_users(document))
    if has_scripts := may_share_scripts(document):
        document = with_starts(with_tool_starts(document), pipelines)
    document = with_defaults(document, has_scripts=has_scripts and is_single)
    document = without_single_images(with_default_tools(_with_shared_variables(document, plan_jobs)))

    def title_of(name: str) -> str:
        # A job that replaces combinations has their pipeline in its name.
        named = "" if name in plan_jobs else pipelines.get(name, "")
        return name.removeprefix(f"{named}: ") if named else title(name)

    names = stage_names(document, title_of, has_same_stage=has_same_stage)
    leaving = sources(document.jobs)
    short = replace(
        document,
        stages=with_external(tuple(dict.fromkeys(names.values())), document.external_stages, names),
        jobs=tuple(_job(job, names[job.stage], leaving, plan_jobs.get(job.name)) for job in document.jobs),
    )
    if not is_single:
        short = with_pipeline_keys(short, pipelines, has_scripts=has_scripts)
    short = with_shared_rules(with_ends(with_hidden_scripts(short, whole)) if has_scripts else short)
    templates = _template_names(short, plan_jobs)
    return with_merged_keys(with_shared_keys(_with_common_needs(short), templates), templates)


def _template_names(document: Document, plan_jobs: Mapping[str, PlanJob]) -> TemplateNames:
    """Return the names that hidden jobs of *document* may have from the templates of the stages of its jobs."""
    by_job: dict[str, tuple[str, ...]] = {}
    for name, plan_job in plan_jobs.items():
        if plan_job.templates:
            by_job[name] = plan_job.templates
            if plan_job.combination is not None:
                matrix = matrix_name(name, plan_job)
                by_job[matrix] = by_job[f".{matrix}"] = plan_job.templates
    if not by_job:
        return TemplateNames({})
    return TemplateNames.of({job.name: by_job[job.name] for job in document.base_jobs() if job.name in by_job})


def _pipelines(
    document: Document, plan_jobs: Mapping[str, PlanJob], pipeline: Callable[[str], str]
) -> Mapping[str, str]:
    """Return the pipelines of the jobs of *document*, and of the jobs that may replace combinations."""
    pipelines = {job.name: pipeline(job.name) for job in document.jobs}
    if not any(pipelines.values()):
        return {}
    for job in document.jobs:
        plan_job = plan_jobs.get(job.name)
        if plan_job is not None and plan_job.combination is not None:
            name = matrix_name(job.name, plan_job)
            pipelines[name] = pipelines[f".{name}"] = pipelines[job.name]
    return pipelines


def _job(job: GitLabJob, stage: str, leaving: Sources, plan_job: PlanJob | None) -> GitLabJob:
    needs_no_files = plan_job is not None and not job.raw and (job.trigger is not None or reads_no_files(plan_job))
    return replace(job, stage=stage, needs=short_needs(job.needs, frozenset() if needs_no_files else leaving.of(job)))


def _with_common_needs(document: Document) -> Document:
    """Return *document* with the needs that all combinations of a matrix have in the hidden job that they extend."""
    users: dict[str, list[GitLabJob]] = {}
    for job in document.jobs:
        if job.extends:
            users.setdefault(job.extends, []).append(job)
    common = {
        name: jobs[0]
        for name, jobs in users.items()
        if all((job.needs, job.other_files) == (jobs[0].needs, jobs[0].other_files) for job in jobs)
    }
    moved = {job.name for job in document.jobs if job.is_hidden and job.name in common}

    def with_moved(job: GitLabJob) -> GitLabJob:
        if job.extends in moved:
            return replace(job, needs=(), other_files=())
        first = common[job.name] if job.name in moved else job
        return replace(job, needs=first.needs, other_files=first.other_files)

    return replace(document, jobs=tuple(map(with_moved, document.jobs))) if moved else document


def _with_shared_variables(document: Document, plan_jobs: Mapping[str, PlanJob]) -> Document:
    """Return *document* with the variables that each job of a stage has as its own, with the value that most have.

    Jobs that post messages get them too, as helpers do: their scripts are those of pipegen.

    Each job keeps them in a file with jobs that start other pipelines, which would get them, and in a file in which
    some have a raw `inherit` or `variables: null`. Variables that raw rules of the workflow set stay in the jobs, too.
    """
    posting = {name for name, plan_job in plan_jobs.items() if plan_job.posts}
    stage_jobs = [job for job in document.base_jobs() if job.runs_stage and job.name not in posting]
    if len(stage_jobs) < 2 or any(job.raw.get("variables", "") is None for job in stage_jobs):  # noqa: PLR2004 - several
        return document
    first, *others = stage_jobs
    if not first.variables or any(job.trigger is not None or "inherit" in job.raw for job in document.jobs):
        return document
    rules = (*document.workflow, *document.refusals, *(rule for job in document.jobs for rule in job.rules))
    conditions = "\n".join([*(rule.condition for rule in rules), repr(document.settings)])
    shared = [variable for variable in first.variables if _is_shareable(variable, document)]
    shared = [variable for variable in shared if not re.search(rf"\$\{{?{variable.name}\b", conditions)]
    set_by_workflow = [rule.get("variables") for rule in document.settings.rules]
    shared = [
        variable
        for variable in shared
        if not any(isinstance(each, dict) and variable.name in each for each in set_by_workflow)
    ]
    names = {variable.name for variable in shared}
    for job in others:
        names &= {variable.name for variable in job.variables}
    counts = Counter([variable for job in stage_jobs for variable in job.variables if variable.name in names])
    shared = [variable for variable, count in counts.items() if 2 * count > len(stage_jobs)]
    if not shared:
        return document
    sharing = {job.name for job in stage_jobs}
    return replace(
        document,
        variables=(*document.variables, *shared),
        jobs=tuple(_without(job, shared) if job.name in sharing else job for job in document.jobs),
    )


def _is_shareable(variable: VariableEntry, document: Document) -> bool:
    return variable.name not in _OF_RUNNER and all(variable.name != other.name for other in document.variables)


def _without(job: GitLabJob, shared: list[VariableEntry]) -> GitLabJob:
    return replace(job, variables=tuple(variable for variable in job.variables if variable not in shared))
