"""What isolated jobs carry for each other in `.pipegen`, and where shared ones leave it."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.shell.host import Host
from pipegen.shell.quote import Literal, Shell, Word, shell_text

FOLDER = ".pipegen"
ARCHIVE = f"{FOLDER}/archive"


def carries(job: Job, host: Host) -> tuple[str, ...]:
    """Return the paths that *job* leaves for other jobs, with a slash at the end of folders."""
    if host.values is not None:
        return ()
    paths = [f"{FOLDER}/outputs/{job.slug}/"] if job.outputs else []
    if job.stage in host.marked:
        paths.append(f"{FOLDER}/status/{job.slug}")
    if packs_containers(job, host):
        paths.append(f"{FOLDER}/containers/{job.slug}/")
    if packs_files(job, host):
        paths.append(f"{FOLDER}/files/{job.slug}.tar")
    return tuple(paths)


def packs_containers(job: Job, host: Host) -> bool:
    """Return whether *job* packs the paths that other jobs copy out of its container."""
    paths = job.shared.container_paths
    return bool(paths) and not host.shares_daemon and any(path.constant is not None for path in paths)


def out_of_reach(job: Job, host: Host) -> tuple[Text, ...]:
    """Return the paths that others copy from the container of *job* and it cannot pack: only their runs know them."""
    if host.shares_daemon:
        return ()
    return tuple(path for path in job.shared.container_paths if path.constant is None)


def packs_files(job: Job, host: Host) -> bool:
    """Return whether some files that *job* leaves travel in a tar: no pattern can name them, or order matters."""
    if not job.artifacts or host.values is not None:
        return False
    return any(artifact.path is None or artifact.overwrites for artifact in job.artifacts)


def written(path: str, host: Host) -> Word:
    """Return the place of *path* (below the folder of what is carried) for the job that writes it."""
    return (*_root(host, Literal(FOLDER)), Literal(f"/{path}"))


def read(path: str, host: Host) -> Word:
    """Return the place of *path* for the jobs that read it."""
    return (*_root(host, Shell("$pipegen/in")), Literal(f"/{path}"))


def _root(host: Host, isolated: Literal | Shell) -> Word:
    return (isolated,) if host.values is None else shell_text(host.values)
