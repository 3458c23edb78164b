"""Variables of the whole file: those that each job of a stage has."""

from __future__ import annotations

import re

from pipegen.structs import replace
from pipegen.targets.gitlab.model import HELPER, Document, GitLabJob, VariableEntry

_OF_RUNNER = ("GIT_STRATEGY", HELPER)


def with_shared_variables(document: Document) -> Document:
    """Return *document* with the variables that all jobs of stages share as its own.

    In a file with jobs that start other pipelines, each job keeps them: these pipelines would get them.
    """
    names = {job.name for job in document.jobs}
    stage_jobs = [job for job in document.jobs if job.runs_stage and job.extends not in names]
    if len(stage_jobs) < 2 or any(job.trigger is not None for job in document.jobs):  # noqa: PLR2004 - several
        return document
    rules = (*document.workflow, *document.refusals, *(rule for job in document.jobs for rule in job.rules))
    conditions = "\n".join([*(rule.condition for rule in rules), repr(document.settings)])
    first, *others = stage_jobs
    shared = [variable for variable in first.variables if _is_shareable(variable, document)]
    shared = [variable for variable in shared if not re.search(rf"\$\{{?{variable.name}\b", conditions)]
    for job in others:
        shared = [variable for variable in shared if variable in job.variables]
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
