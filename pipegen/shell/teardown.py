"""The removal, at the end of a pipeline, of resources that jobs share."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import BuildImage, Deploy, Job, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.images import is_image_retained, local_tag
from pipegen.shell.names import container_name, is_container_retained, release_name
from pipegen.shell.quote import quote, shell_text


def teardown(jobs: Sequence[Job], host: ShellEnvironment) -> tuple[Command, ...]:
    """Return the commands that remove the shared resources of *jobs*; a missing one is no error."""
    sharing = [job for job in jobs if job.shared.container or job.shared.image or job.shared.release]
    containers = [
        _container(job, host) for job in sharing if _has(job, RunContainer) and is_container_retained(job, host)
    ]
    images = [_image(job, host) for job in sharing if _has(job, BuildImage) and is_image_retained(job, host)]
    releases = [_release(job, host) for job in sharing if _has(job, Deploy) and job.shared.release]
    lines = (
        *_with_program("HELM", "helm", releases),
        *_with_program("DOCKER", "docker", [*containers, *images]),
    )
    return tuple(Command((line,)) for line in lines)


def _with_program(variable: str, default: str, calls: Sequence[str]) -> Sequence[str]:
    """Return *calls* of the program in *variable*, which is *default* if it is not set."""
    program = f"${{{variable}:-{default}}}"
    if len(calls) == 1:
        return [program + calls[0].removeprefix(f"${variable}")]
    return [f"{variable}={program}", *calls] if calls else ()


def _has(job: Job, kind: type[BuildImage | RunContainer | Deploy]) -> bool:
    return any(isinstance(step, kind) for step in job.steps)


def _container(job: Job, host: ShellEnvironment) -> str:
    return f"$DOCKER rm --force --volumes {quote(container_name(job, host))} || :"


def _image(job: Job, host: ShellEnvironment) -> str:
    return f"$DOCKER rmi --no-prune {quote(local_tag(job, host))} || :"


def _release(job: Job, host: ShellEnvironment) -> str:
    return f"$HELM uninstall {quote(release_name(job, host))} --namespace {quote(shell_text(host.namespace))} || :"
