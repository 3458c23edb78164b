"""Values and files that jobs hand to each other: in `.pipegen` if jobs are isolated, else in a shared folder."""

from __future__ import annotations

from functools import cache

from pipegen.bindings.expression import Text
from pipegen.plan.model import Job
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import between_quotes, constant, quote, shell_text

FOLDER = ".pipegen"
ARCHIVE = f"{FOLDER}/archive"


def transferred_paths(job: Job, host: ShellEnvironment) -> tuple[str, ...]:
    """Return the paths that *job* leaves for other jobs; folders end with a slash."""
    if host.values is not None:
        return ()
    paths = [f"{FOLDER}/outputs/{job.slug}/"] if job.outputs else []
    if job.stage in host.marked:
        paths.append(f"{FOLDER}/status/{job.slug}")
    if job.shared.container_paths and packs_container_paths(job, host):
        paths.append(f"{FOLDER}/containers/{job.slug}/")
    if job.artifacts and packs_files(job, host):
        paths.append(f"{FOLDER}/files/{job.slug}.tar")
    return tuple(paths)


def packs_container_paths(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* packs the paths that other jobs copy from its container."""
    paths = job.shared.container_paths
    return bool(paths) and not host.shares_daemon and any(path.constant is not None for path in paths)


def unpackable_paths(job: Job, host: ShellEnvironment) -> tuple[Text, ...]:
    """Return the paths that others copy from the container of *job* and it cannot pack: only known at run time."""
    if host.shares_daemon:
        return ()
    return tuple(path for path in job.shared.container_paths if path.constant is None)


def packs_files(job: Job, host: ShellEnvironment) -> bool:
    """Return whether some files of *job* need a tar: no pattern matches them, or they overwrite other files."""
    if host.values is not None:
        return False
    return any(artifact.path is None or artifact.overwrites for artifact in job.artifacts)


def path_to_write(path: str, host: ShellEnvironment) -> str:
    """Return *path* (below the transfer folder) as a word, for the job that writes it."""
    return _below(FOLDER if host.values is None else host.values, path)


def path_to_read(path: str, host: ShellEnvironment) -> str:
    """Return *path* as a word, for the jobs that read it."""
    return _below("$pipegen/in" if host.values is None else host.values, path)


def _below(folder: str, path: str) -> str:
    """Return *path* below *folder*, which is shell text."""
    start, is_expanded = _folder(folder)
    return f'"{start}/{between_quotes(path)}"' if is_expanded else quote(f"{start}/{path}")


@cache
def _folder(folder: str) -> tuple[str, bool]:
    """Return the shell text *folder*, and whether the shell expands it, in which case it needs double quotes."""
    word = shell_text(folder)
    constant_text = constant(word)
    return (between_quotes(word), True) if constant_text is None else (constant_text, False)
