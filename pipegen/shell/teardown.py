"""The removal, at the end of a pipeline, of resources that jobs share."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Deploy, Job, RunContainer
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.images import is_image_retained, local_tag
from pipegen.shell.names import container_name, is_container_retained, release_name
from pipegen.shell.quote import quote, shell_text


def teardown(jobs: Sequence[Job], host: ShellEnvironment) -> tuple[Command, ...]:
    """Return the commands that remove the shared resources of *jobs*; a missing one is not an error."""
    sharing = [job for job in jobs if job.shared.container or job.shared.image or job.shared.release]
    containers = [
        f"$DOCKER rm --force --volumes {quote(container_name(job, host))} || :"
        for job in sharing
        if RunContainer in map(type, job.steps) and is_container_retained(job, host)
    ]
    images = [
        f"$DOCKER rmi --no-prune {quote(local_tag(job, host))} || :" for job in sharing if is_image_retained(job, host)
    ]
    namespace = quote(shell_text(host.namespace))
    releases = [
        f"$HELM uninstall {quote(release_name(job, host))} --namespace {namespace} || :"
        for job in sharing
        if Deploy in map(type, job.steps) and job.shared.release
    ]
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
