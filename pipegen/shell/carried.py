"""What isolated jobs carry for each other in `.pipegen`, and where shared ones leave it."""

from __future__ import annotations

from functools import cache

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import between_quotes, constant, quote, shell_text

FOLDER = ".pipegen"
ARCHIVE = f"{FOLDER}/archive"


def carries(job: Job, host: ShellEnvironment) -> tuple[str, ...]:
    """Return the paths that *job* leaves for other jobs, with a slash at the end of folders."""
    if host.values is not None:
        return ()
    paths = [f"{FOLDER}/outputs/{job.slug}/"] if job.outputs else []
    if job.stage in host.marked:
        paths.append(f"{FOLDER}/status/{job.slug}")
    if job.shared.container_paths and packs_containers(job, host):
        paths.append(f"{FOLDER}/containers/{job.slug}/")
    if job.artifacts and packs_files(job, host):
        paths.append(f"{FOLDER}/files/{job.slug}.tar")
    return tuple(paths)


def packs_containers(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* packs the paths that other jobs copy out of its container."""
    paths = job.shared.container_paths
    return bool(paths) and not host.shares_daemon and any(path.constant is not None for path in paths)


def out_of_reach(job: Job, host: ShellEnvironment) -> tuple[Text, ...]:
    """Return the paths that others copy from the container of *job* and it cannot pack: only their runs know them."""
    if host.shares_daemon:
        return ()
    return tuple(path for path in job.shared.container_paths if path.constant is None)


def packs_files(job: Job, host: ShellEnvironment) -> bool:
    """Return whether some files that *job* leaves travel in a tar: no pattern can name them, or order matters."""
    if host.values is not None:
        return False
    return any(artifact.path is None or artifact.overwrites for artifact in job.artifacts)


def written(path: str, host: ShellEnvironment) -> str:
    """Return the place of *path* (below the folder of what is carried), as a word, for the job that writes it."""
    return _below(FOLDER if host.values is None else host.values, path)


def read(path: str, host: ShellEnvironment) -> str:
    """Return the place of *path*, as a word, for the jobs that read it."""
    return _below("$pipegen/in" if host.values is None else host.values, path)


def _below(folder: str, path: str) -> str:
    """Return *path* below *folder*, which is shell text."""
    start, is_expanded = _folder(folder)
    return f'"{start}/{between_quotes(path)}"' if is_expanded else quote(f"{start}/{path}")


@cache
def _folder(folder: str) -> tuple[str, bool]:
    """Return the shell text *folder* and whether it is expanded; it stands between double quotes then."""
    word = shell_text(folder)
    known = constant(word)
    return (between_quotes(word), True) if known is None else (known, False)
