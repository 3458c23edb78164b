"""The removal of what jobs keep for each other, at the end of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Build, Deploy, Job, Run
from pipegen.shell.command import Command
from pipegen.shell.host import Host
from pipegen.shell.images import keeps_image, local_tag
from pipegen.shell.kept import container_name, keeps_container, release_name
from pipegen.shell.quote import quote, shell_text


def teardown(jobs: Sequence[Job], host: Host) -> tuple[Command, ...]:
    """Return the commands that remove what *jobs* keep; what is not there fails nothing."""
    sharing = [job for job in jobs if job.shared.container or job.shared.image or job.shared.release]
    containers = [_container(job, host) for job in sharing if _has(job, Run) and keeps_container(job, host)]
    images = [_image(job, host) for job in sharing if _has(job, Build) and keeps_image(job, host)]
    releases = [_release(job, host) for job in sharing if _has(job, Deploy) and job.shared.release]
    lines = (
        *(["DOCKER=${DOCKER:-docker}"] if containers or images else []),
        *(["HELM=${HELM:-helm}"] if releases else []),
        *releases,
        *containers,
        *images,
    )
    return tuple(Command((line,)) for line in lines)


def _has(job: Job, kind: type[Build | Run | Deploy]) -> bool:
    return any(isinstance(step, kind) for step in job.steps)


def _container(job: Job, host: Host) -> str:
    return f"$DOCKER rm --force --volumes {quote(container_name(job, host))} || :"


def _image(job: Job, host: Host) -> str:
    return f"$DOCKER rmi --no-prune {quote(local_tag(job, host))} || :"


def _release(job: Job, host: Host) -> str:
    return f"$HELM uninstall {quote(release_name(job, host))} --namespace {quote(shell_text(host.namespace))} || :"
