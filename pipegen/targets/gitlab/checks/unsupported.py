"""Checks for features that GitLab lacks, before anything is lowered."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import chain

from pipegen.bindings.expression import Scope
from pipegen.diagnostics.codes import (
    ENGINE_HAS_NO_VALUE,
    FILE_TOO_BIG,
    MAIL_WITHOUT_SERVER,
    PLUGIN_STEPS_REFUSED,
    SECRET_SHADOWED,
    TOKEN_FOR_OTHER_REGISTRY,
    TOO_MANY_VARIABLES,
    WORKSPACE_NOT_SHARED,
)
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan, PluginSteps, PublishImage, RunContainer, TriggerJob, Workspace
from pipegen.plan.model.texts import job_texts
from pipegen.shell.host import Images, ShellEnvironment
from pipegen.shell.values.credentials import check_distinct_sources, sources
from pipegen.shell.values.transfers import unpackable_paths
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Scalar
from pipegen.targets.gitlab.helper_jobs.collectors import MOST_VARIABLES
from pipegen.targets.gitlab.memory import BUDGET
from pipegen.targets.gitlab.pairs import FOREIGN_CONTAINER
from pipegen.targets.gitlab.settings import GitLabSettings

_BIG = 100_000
# https://docs.gitlab.com/administration/cicd/limits/#maximum-number-of-includes
_MOST_INCLUDED = 150


def check_plan(plan: Plan, host: ShellEnvironment, report: Report) -> None:
    """Report features of *plan* that GitLab lacks."""
    if plan.workspace is Workspace.SHARED:
        report.add(
            WORKSPACE_NOT_SHARED,
            f'stages of pipeline "{plan.name}" share no workspace on GitLab',
            at=plan.workspace_span,
            hint='list the files that later stages need in "artifacts" of the stages that write them',
        )
    with_containers = {job.stage for job in plan.jobs if job.shared.container}
    for job in plan.jobs:
        _check_references(job, host, with_containers, report)
        if job.shared.container_paths:
            _check_container_paths(job, host, report)
        if job.plugin_steps is not None:
            _check_plugin_steps(job, job.plugin_steps, report)
        if job.secrets:
            _check_secrets(job, report)
        if len(job.expanded) > MOST_VARIABLES:
            report.add(
                TOO_MANY_VARIABLES,
                f'image names use {len(job.expanded)} outputs of stage "{job.title}"; a dotenv report of GitLab has at '
                f"most {MOST_VARIABLES} variables",
                at=job.span,
                hint="join values in one output",
            )


def _check_plugin_steps(job: Job, steps: PluginSteps, report: Report) -> None:
    """Report the *steps* of Jenkins of *job*, unless it works without them."""
    if not steps.is_skipped_elsewhere:
        report.add(
            PLUGIN_STEPS_REFUSED,
            f'stage "{job.title}" has steps of Jenkins, which GitLab does not have',
            at=steps.span,
            hint='add "elsewhere: skip" to leave them out on other engines',
        )
    elif job.groovy_condition is not None:
        report.add(
            PLUGIN_STEPS_REFUSED,
            f'the script of stage "{job.title}" runs under a condition in Groovy, which GitLab does not evaluate',
            at=job.groovy_condition.span,
            hint='write the condition in "when", or test it in the script',
        )


def check_credentials(plans: Sequence[Plan], report: Report) -> None:
    """Report different credentials of *plans* that would share one CI/CD variable."""
    jobs = [job for plan in plans for job in plan.jobs]
    containers = (step for job in jobs for step in job.steps if isinstance(step, RunContainer))
    secrets = (job.secrets for job in jobs)
    check_distinct_sources(chain.from_iterable((*secrets, *(step.credentials for step in containers))), report)


def check_size(name: str, jobs: int, sizes: tuple[int, int], most: int, at: Span, report: Report) -> None:
    """Report the file *name* with this number of *jobs* if one of its *sizes* exceeds *most*, GitLab's limit in bytes.

    The sizes are the memory of the parsed file, and the length of its text.
    """
    memory, text = sizes
    if max(memory, text) <= most * BUDGET // 100:
        return
    description = (
        f"parsed, {_counted(jobs)} about {_megabytes(memory)} MB of memory"
        if memory >= text
        else f"its text has {_megabytes(text)} MB"
    )
    report.add(
        FILE_TOO_BIG,
        f'GitLab may reject "{name}" as too large: {description}, of {_megabytes(most)} MB allowed',
        at=at,
        hint="move parts of the largest job into a script in the repository, or let an administrator raise "
        "max_yaml_size_bytes, and set the same in targets.gitlab",
    )


def check_includes(name: str, files: int, at: Span, report: Report) -> None:
    """Report the file *name* if it includes more *files* than GitLab allows."""
    if files > _MOST_INCLUDED:
        report.add(
            FILE_TOO_BIG,
            f'GitLab includes at most {_MOST_INCLUDED} files, and the jobs of "{name}" need {files}',
            at=at,
            hint="put stages into child pipelines with --split, compile fewer pipelines into one file, or let an "
            "administrator raise max_yaml_size_bytes, and set the same in targets.gitlab",
        )


def _counted(jobs: int) -> str:
    if not jobs:
        return "the keys for all jobs take"
    return "its job takes" if jobs == 1 else f"its {jobs} jobs take"


def _megabytes(size: int) -> str:
    """Return *size* in megabytes, with the significant digits."""
    return f"{size / 1_000_000:.1f}" if size >= _BIG else f"{size / 1_000_000:.4f}"


def _check_references(job: Job, host: ShellEnvironment, with_containers: Container[str], report: Report) -> None:
    """Report setup values that GitLab lacks, and containers of other jobs that are used without a copy.

    *with_containers* are the stages whose containers others use.
    """
    references = [reference for text in job_texts(job) for reference in text.references()]
    for reference in references:
        if reference.scope is Scope.SETUP and reference.default is None and host.setup(reference.name) is None:
            is_fixed = job.posts and reference.name == "previousResult"
            report.add(
                ENGINE_HAS_NO_VALUE,
                'GitLab has no result "fixed": a job cannot read the results of earlier pipelines'
                if is_fixed
                else f'GitLab has no value for "{reference}"',
                at=reference.span,
                hint='remove "fixed"' if is_fixed else f'give a default: "${{setup.{reference.name}|text}}"',
            )
        is_container = reference.scope is Scope.STAGE and reference.name == "container"
        if is_container and reference.namespace in with_containers and not host.shares_daemon:
            report.add(
                FOREIGN_CONTAINER.code,
                f'"{reference}" names a container of another job, and GitLab jobs share no container engine',
                at=reference.span,
                hint='copy files from it with "copy", or set "images: local" for a single shell runner',
            )


def _check_secrets(job: Job, report: Report) -> None:
    """Report variables that get the value of a secret, and are also the CI/CD variables of other credentials."""
    secrets_by_variable = {
        variable: credential
        for credential in job.secrets
        for variable, source in zip(credential.variables, sources(credential), strict=True)
        if variable != source
    }
    for credential in job.secrets:
        for source in sources(credential):
            secret = secrets_by_variable.get(source)
            if secret is not None and secret != credential:
                report.add(
                    SECRET_SHADOWED,
                    f'"{source}" is set to a secret, and is also a CI/CD variable of the credential "{credential.id}"',
                    at=secret.span,
                    related=[Label(credential.span, f'comes from "{source}"')],
                    hint="rename the variable of the secret",
                )


def _check_container_paths(job: Job, host: ShellEnvironment, report: Report) -> None:
    """Report paths in the container of *job* that are unknown when it has to pack them for other jobs."""
    for path in unpackable_paths(job, host):
        report.add(
            FOREIGN_CONTAINER.code,
            f'stage "{job.title}" cannot pass on a path in its container that only the copying stage knows',
            at=path.span,
            hint='write a constant path, copy the files in that stage, or set "images: local" for one shell runner',
        )


def check_mail(plans: Sequence[Plan], settings: GitLabSettings, report: Report) -> None:
    """Report that mails cannot be sent, once."""
    mails = [job.mail for plan in plans for job in plan.jobs if job.mail is not None]
    if mails and settings.mail is None:
        report.add(
            MAIL_WITHOUT_SERVER,
            "mails are left out: no mail server is set for GitLab",
            at=mails[0].span,
            hint="add to the file: targets: { gitlab: { mail: {} } }; then set the CI/CD variables SMTP_URL and "
            "SMTP_FROM",
        )


def omission_notes(plans: Sequence[Plan], settings: GitLabSettings) -> tuple[str, ...]:
    """Return a line for the file's header about each omission."""
    lines = []
    for plan in plans:
        pipeline = f"{plan.name}: " if len(plans) > 1 else ""
        for job in plan.jobs:
            lines += [
                f'Left out: trigger "{step.name.value}" of stage "{pipeline}{job.title}"; no project is set for it.'
                for step in job.steps
                if isinstance(step, TriggerJob) and not step.include and step.name.value not in settings.projects
            ]
    if settings.mail is None and any(job.mail for plan in plans for job in plan.jobs):
        lines.append("Left out: mails about failed stages; no mail server is set.")
    return tuple(dict.fromkeys(lines))


def check_registry(
    plans: Sequence[Plan], section: TreeMapping | None, settings: GitLabSettings, report: Report
) -> None:
    """Report a registry that jobs log in to without a credential: only GitLab's own registry accepts job tokens."""
    node = section.get("registry") if section is not None else None
    if not isinstance(node, Scalar) or settings.registry_credential is not None:
        return
    if any(_logs_in(job, settings) for plan in plans for job in plan.jobs):
        report.add(
            TOKEN_FOR_OTHER_REGISTRY,
            f'jobs log in to "{node.text}" with their job token, which only GitLab\'s own registry accepts',
            at=node.span,
            hint='add "registry_credential", the ID of a user name and password there, or use the registry of your '
            "GitLab, the default",
        )


def _logs_in(job: Job, settings: GitLabSettings) -> bool:
    is_pushed = job.shared.image and settings.images is Images.REGISTRY
    return is_pushed or any(isinstance(step, PublishImage) for step in job.steps)
