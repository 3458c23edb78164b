"""The names of a job's container and release: its own, or lasting ones where other jobs use them."""

from __future__ import annotations

from pipegen.plan.model import Job
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.names import kept_name
from pipegen.shell.quote import VariableExpansion, Word

ID = VariableExpansion("pipegen_id")


def keeps_container(job: Job, host: ShellEnvironment) -> bool:
    """Return whether the container of *job* stays for other jobs."""
    return job.shared.container and host.shares_daemon


def container_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the container that *job* runs."""
    return kept_name(job, host) if keeps_container(job, host) else (ID,)


def release_name(job: Job, host: ShellEnvironment) -> Word:
    """Return the name of the release that *job* installs."""
    return kept_name(job, host) if job.shared.release else (ID,)
