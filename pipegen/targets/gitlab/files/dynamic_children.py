"""A file that a job generates while a pipeline runs, and that the pipeline then starts as its child.

Facts (https://docs.gitlab.com/ci/pipelines/downstream_pipelines/, and children.py):

- The child's own source is `parent_pipeline`; how the run as a whole was started, the bridge hands over.
- Only the artifact that the bridge names is read: what it includes by `local`, and what its own bridges start, is read
  from the repository, where generated files are not. So there is one file.
- A child that lets in no job fails its bridge, so its workflow lets it run, and one job is let in always.
"""

from __future__ import annotations

from pipegen.structs import replace
from pipegen.targets.gitlab.files.children import always_in
from pipegen.targets.gitlab.model import Document, ImageKeys, RuleEntry
from pipegen.targets.gitlab.names import JobNames
from pipegen.targets.gitlab.settings import GitLabSettings

_OWN, _HANDED = "$CI_PIPELINE_SOURCE", "$PIPEGEN_SOURCE"


def as_child(document: Document, names: JobNames, image: ImageKeys | None) -> Document:
    """Return *document* for a pipeline that another one starts; a helper takes its name from *names*, and *image*."""
    jobs = tuple(replace(job, rules=tuple(map(_handed, job.rules))) for job in document.jobs)
    if all(job.rules for job in jobs):
        jobs = (always_in(names.take("start"), image), *jobs)
    settings = replace(document.settings, rules=())
    return replace(document, settings=settings, workflow=(RuleEntry("", when="always"),), jobs=jobs)


def child_notes(settings: GitLabSettings) -> tuple[str, ...]:
    """Return notes on what of *settings* is not for a child."""
    return (
        ("Left out: workflow.rules, which are for the pipeline that starts this one.",)
        if settings.workflow.rules
        else ()
    )


def _handed(rule: RuleEntry) -> RuleEntry:
    return replace(rule, condition=rule.condition.replace(_OWN, _HANDED))
