"""What GitLab cannot say, found before anything is lowered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from pipegen.bindings.expression import Scope, Text
from pipegen.diagnostics.codes import (
    ENGINE_HAS_NO_VALUE,
    FILE_TOO_BIG,
    SECRET_SHADOWED,
    TOO_MANY_VARIABLES,
    WORKSPACE_NOT_SHARED,
)
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan, RunContainer, Workspace
from pipegen.plan.model.texts import environment_texts
from pipegen.shell.credentials import check_distinct_sources, sources
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.transfers import unpackable_paths
from pipegen.source.text import Span
from pipegen.targets.gitlab.helper_jobs.collectors import MOST_VARIABLES
from pipegen.targets.gitlab.memory import BUDGET
from pipegen.targets.gitlab.pairs import FOREIGN_CONTAINER
from pipegen.targets.texts import job_texts

_BIG = 100_000
# https://docs.gitlab.com/administration/cicd/limits/#maximum-number-of-includes
MOST_INCLUDED = 150


def check_plan(plan: Plan, host: ShellEnvironment, report: Report) -> None:
    """Report what of *plan* has no counterpart on GitLab."""
    if plan.workspace is Workspace.SHARED:
        report.add(
            WORKSPACE_NOT_SHARED,
            f'stages of pipeline "{plan.name}" share no workspace on GitLab',
            at=plan.workspace_span,
            hint="let stages pass files on: a copy hands its destination to later stages",
        )
    for job in plan.jobs:
        _check_references(job, host, report)
        if job.shared.container_paths:
            _check_container_paths(job, host, report)
        if job.secrets:
            _check_secrets(job, report)
        if len(job.expanded) > MOST_VARIABLES:
            report.add(
                TOO_MANY_VARIABLES,
                f'names of images hold {len(job.expanded)} outputs of stage "{job.title}", and a dotenv report of '
                f"GitLab holds {MOST_VARIABLES} variables",
                at=job.span,
                hint="join values in one output, and read that one",
            )


def check_credentials(plans: Sequence[Plan], report: Report) -> None:
    """Report credentials of *plans* that one CI/CD variable would hold."""
    jobs = [job for plan in plans for job in plan.jobs]
    runs = (step for job in jobs for step in job.steps if isinstance(step, RunContainer))
    own = (job.secrets for job in jobs)
    check_distinct_sources(chain.from_iterable((*own, *(step.credentials for step in runs))), report)


def check_size(name: str, jobs: int, sizes: tuple[int, int], most: int, at: Span, report: Report) -> None:
    """Report the file *name* of so many *jobs* if GitLab, which takes *most* bytes, refuses one of its *sizes*.

    They are the bytes of memory that the parsed file takes, and those of its text.
    """
    memory, text = sizes
    if max(memory, text) <= most * BUDGET // 100:
        return
    takes = (
        f"parsed, {_counted(jobs)} some {_megabytes(memory)} MB of memory"
        if memory >= text
        else f"its text has {_megabytes(text)} MB"
    )
    report.add(
        FILE_TOO_BIG,
        f'GitLab may refuse "{name}" as too big: {takes}, of {_megabytes(most)} MB allowed',
        at=at,
        hint="make the biggest job smaller, by a script in the repository that it calls, or let an administrator raise "
        "max_yaml_size_bytes, and set the same in targets.gitlab",
    )


def check_includes(name: str, files: int, at: Span, report: Report) -> None:
    """Report the file *name* if it includes more *files* than GitLab allows."""
    if files > MOST_INCLUDED:
        report.add(
            FILE_TOO_BIG,
            f'GitLab includes {MOST_INCLUDED} files at most, and the jobs of "{name}" take {files}',
            at=at,
            hint="put stages into child pipelines with --split, compile fewer pipelines into one file, or let an "
            "administrator raise max_yaml_size_bytes, and set the same in targets.gitlab",
        )


def _counted(jobs: int) -> str:
    if not jobs:
        return "what holds for all jobs takes"
    return "its job takes" if jobs == 1 else f"its {jobs} jobs take"


def _megabytes(size: int) -> str:
    """Return *size* in megabytes, with the digits that say something."""
    return f"{size / 1_000_000:.1f}" if size >= _BIG else f"{size / 1_000_000:.4f}"


def _check_references(job: Job, host: ShellEnvironment, report: Report) -> None:
    """Report setup values that GitLab lacks, and containers of other jobs that are used other than by a copy."""
    references = [one for text in _texts(job) if text.constant is None for one in text.references()]
    for reference in references:
        if reference.scope is Scope.SETUP and reference.default is None and host.setup(reference.name) is None:
            report.add(
                ENGINE_HAS_NO_VALUE,
                f'GitLab has no value for "{reference}"',
                at=reference.span,
                hint=f'give a default: "${{setup.{reference.name}|text}}"',
            )
        if reference.scope is Scope.STAGE and reference.name == "container" and not host.shares_daemon:
            report.add(
                FOREIGN_CONTAINER.code,
                f'"{reference}" names a container that is out of reach: GitLab\'s jobs share no container engine',
                at=reference.span,
                hint='copy files from it by "copy", or set "images: local" for one shell runner',
            )


def _texts(job: Job) -> list[Text]:
    """Return the texts of *job* that may name what GitLab lacks."""
    found = job_texts(job)
    if job.deployment.environment is not None:
        found += environment_texts(job.deployment.environment)
    if job.retention.name is not None:
        found.append(job.retention.name)
    return found


def _check_secrets(job: Job, report: Report) -> None:
    """Report a variable that a secret is bound to and another one comes from."""
    bound = {variable: one for one in job.secrets for variable in one.variables}
    for credential in job.secrets:
        for source in sources(credential):
            first = bound.get(source)
            if first is not None and first != credential:
                report.add(
                    SECRET_SHADOWED,
                    f'"{source}" is set to a secret, and is the CI/CD variable of the credential "{credential.id}" too',
                    at=first.span,
                    also=[Label(credential.span, f'comes from "{source}"')],
                    hint="give the first another name",
                )


def _check_container_paths(job: Job, host: ShellEnvironment, report: Report) -> None:
    """Report paths in the container of *job* that it would have to pack for other jobs and cannot know."""
    for path in unpackable_paths(job, host):
        report.add(
            FOREIGN_CONTAINER.code,
            f'stage "{job.title}" cannot hand over a path in its container that only the copying stage knows',
            at=path.span,
            hint='write the path out, copy the files in that stage itself, or set "images: local" for one shell runner',
        )
