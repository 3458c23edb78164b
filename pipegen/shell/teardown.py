"""The removal of what jobs keep for each other, at the end of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import BuildImage, Deploy, Job, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.images import keeps_image, local_tag
from pipegen.shell.kept import container_name, keeps_container, release_name
from pipegen.shell.quote import quote, shell_text


def teardown(jobs: Sequence[Job], host: ShellEnvironment) -> tuple[Command, ...]:
    """Return the commands that remove what *jobs* keep; what is not there fails nothing."""
    sharing = [job for job in jobs if job.shared.container or job.shared.image or job.shared.release]
    containers = [_container(job, host) for job in sharing if _has(job, RunContainer) and keeps_container(job, host)]
    images = [_image(job, host) for job in sharing if _has(job, BuildImage) and keeps_image(job, host)]
    releases = [_release(job, host) for job in sharing if _has(job, Deploy) and job.shared.release]
    lines = (
        *(["DOCKER=${DOCKER:-docker}"] if containers or images else []),
        *(["HELM=${HELM:-helm}"] if releases else []),
        *releases,
        *containers,
        *images,
    )
    return tuple(Command((line,)) for line in lines)


def _has(job: Job, kind: type[BuildImage | RunContainer | Deploy]) -> bool:
    return any(isinstance(step, kind) for step in job.steps)


def _container(job: Job, host: ShellEnvironment) -> str:
    return f"$DOCKER rm --force --volumes {quote(container_name(job, host))} || :"


def _image(job: Job, host: ShellEnvironment) -> str:
    return f"$DOCKER rmi --no-prune {quote(local_tag(job, host))} || :"


def _release(job: Job, host: ShellEnvironment) -> str:
    return f"$HELM uninstall {quote(release_name(job, host))} --namespace {quote(shell_text(host.namespace))} || :"
