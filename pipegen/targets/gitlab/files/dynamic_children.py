"""A file that a job generates while a pipeline runs, and that the pipeline then starts as its child.

Facts (https://docs.gitlab.com/ci/pipelines/downstream_pipelines/, and children.py):

- The source of the child is `parent_pipeline`; the bridge passes on the source of the whole run.
- GitLab reads only the artifact that the bridge names: files that it includes by `local`, or that its own bridges
  start, would come from the repository, which does not contain generated files. So there is one file.
- A child without jobs fails its bridge, so its workflow lets it run, and one job is always included.
"""

from __future__ import annotations

from pipegen.structs import replace
from pipegen.targets.gitlab.files.children import unconditional_job
from pipegen.targets.gitlab.files.layout import with_source_of_parent
from pipegen.targets.gitlab.model import Document, ImageKeys, RuleEntry
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.settings import GitLabSettings


def as_child(document: Document, names: JobNames, image: ImageKeys | None) -> Document:
    """Return *document* as a child pipeline; a helper takes its name from *names*, and runs in *image*."""
    jobs = tuple(replace(job, rules=with_source_of_parent(job.rules)) for job in document.jobs)
    if all(job.rules for job in jobs):
        jobs = (unconditional_job(names.take("start"), image), *jobs)
    settings = replace(document.settings, rules=())
    return replace(document, settings=settings, workflow=(RuleEntry("", when="always"),), jobs=jobs)


def child_notes(settings: GitLabSettings) -> tuple[str, ...]:
    """Return notes on the *settings* that do not apply to a child."""
    return (
        ("Left out: workflow.rules, which are for the pipeline that starts this one.",)
        if settings.workflow.rules
        else ()
    )
