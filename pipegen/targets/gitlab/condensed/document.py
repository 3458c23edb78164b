"""The shortest form of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pipegen.plan.model import Job as PlanJob
from pipegen.structs import replace
from pipegen.targets.gitlab.condensed.conditions import with_shared_rules
from pipegen.targets.gitlab.condensed.defaults import with_default_tools, with_defaults
from pipegen.targets.gitlab.condensed.matrices import with_matrices
from pipegen.targets.gitlab.condensed.needs import Sources, reads_no_files, short_needs, sources
from pipegen.targets.gitlab.condensed.stage_names import stage_names, with_external
from pipegen.targets.gitlab.condensed.variables import with_shared_variables
from pipegen.targets.gitlab.model import Document, GitLabJob


def condensed(
    document: Document,
    plan_jobs: Mapping[str, PlanJob],
    title: Callable[[str], str],
    *,
    has_same_stage: bool,
    has_partial_needs: bool,
) -> Document:
    """Return *document* in its shortest form.

    *plan_jobs* are the jobs of the plan by the names of their jobs, *title* returns the name of a job in the name of
    its stage. With *has_same_stage*, jobs may need others of their stage, with *has_partial_needs* some combinations of
    a matrix.
    """
    document = with_matrices(document, plan_jobs, has_partial_needs=has_partial_needs)
    document = with_default_tools(with_shared_variables(with_defaults(document)))
    names = stage_names(document, title, has_same_stage=has_same_stage)
    leaving = sources(document.jobs)
    short = replace(
        document,
        stages=with_external(tuple(dict.fromkeys(names.values())), document.external_stages, names),
        jobs=tuple(_job(job, names[job.stage], leaving, plan_jobs.get(job.name)) for job in document.jobs),
    )
    return with_shared_rules(short)


def _job(job: GitLabJob, stage: str, leaving: Sources, plan_job: PlanJob | None) -> GitLabJob:
    is_blind = plan_job is not None and not job.raw and reads_no_files(plan_job)
    return replace(job, stage=stage, needs=short_needs(job.needs, frozenset() if is_blind else leaving.of(job)))
