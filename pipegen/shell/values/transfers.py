"""Values and files that jobs hand to each other: in `.pipegen` if jobs are isolated, else in a shared folder."""

from __future__ import annotations

import re
from functools import cache

from pipegen.bindings.expression import Text
from pipegen.plan.model import Artifact, BuildImage, Commands, Copy, Job, Leave, Step
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.quote import between_quotes, constant, quote, shell_text

FOLDER = ".pipegen"
# Where the folder of a job that reads more of it in its steps is moved to, out of a build's context.
READ_LATER = "$pipegen/in"
ARCHIVE = f"{FOLDER}/archive"
_COPYING = frozenset((Copy, Leave))

# Commands of the user that may take in the whole checkout: programs that default to it, or with the argument `.`.
_WHOLE_CHECKOUT = re.compile(
    r"\b(?:docker|podman|nerdctl|buildah|buildctl|kaniko|earthly|goreleaser|(?:npm|pnpm|yarn)\s+(?:pack|publish)"
    r"|git\b[^\n;&|]*?\s(?:add|clean|stash|status))\b"
    r"""|(?:^|[\s=:'"])\./?(?:$|[\s;&|)'":])""",
    re.MULTILINE,
)


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
    """Return whether some files of *job* need a tar."""
    return host.values is None and any(is_packed(artifact, host) for artifact in job.artifacts)


def is_packed(artifact: Artifact, host: ShellEnvironment) -> bool:
    """Return whether *artifact* needs a tar: no pattern matches it, or the engine may not let it replace others."""
    return artifact.path is None or (artifact.overwrites and not host.keeps_order)


def paths_in_place(job: Job, host: ShellEnvironment) -> tuple[str, ...]:
    """Return the paths of *job* that a tar takes straight from the checkout, all that it has; none if steps copy some.

    The tar does not exist if none of them does.
    """
    if not _COPYING.isdisjoint(map(type, job.steps)):
        return ()
    paths = [artifact.path for artifact in job.artifacts if is_packed(artifact, host)]
    return tuple(path for path in paths if path is not None and path != ".") if "." not in paths else ()


def is_cleared(job: Job) -> bool:
    """Return whether the files of other jobs in `.pipegen` must leave the checkout of *job* before its steps.

    The build of an image, or a program, may take in all of the checkout, and an artifact pattern may match the files.
    """
    return any(map(_takes_checkout, job.steps)) or any(
        artifact.path is not None and artifact.path.startswith("*") for artifact in job.artifacts
    )


def _takes_checkout(step: Step) -> bool:
    match step:
        case BuildImage():
            return step.has_local_context
        case Commands():
            return _WHOLE_CHECKOUT.search(_text(step)) is not None
    return False


def names_folder(job: Job) -> bool:
    """Return whether the script of *job* names `.pipegen`, which it may remove."""
    return any(FOLDER in _text(step) for step in job.steps if isinstance(step, Commands))


def _text(step: Commands) -> str:
    """Return the user's text of *step*, with a line break in place of each reference."""
    return "\n".join([part for line in step.lines for part in line.script.parts if isinstance(part, str)])


def is_read_later(job: Job, host: ShellEnvironment) -> bool:
    """Return whether steps of *job* read from `.pipegen`: files of containers on another daemon."""
    return bool(job.containers) and not host.shares_daemon


def path_to_read_later(path: str, job: Job, host: ShellEnvironment) -> str:
    """Return *path* of another job as a word, for the steps of *job*."""
    return _below(READ_LATER, path) if host.values is None and is_cleared(job) else transfer_path(path, host)


def transfer_path(path: str, host: ShellEnvironment) -> str:
    """Return *path* below the transfer folder as a word."""
    return _below(FOLDER if host.values is None else host.values, path)


def path_in_loop(path: str, variable: str, name: str, host: ShellEnvironment) -> str:
    """Return the path *name* in the folder of *path* that the shell *variable* names, as a word."""
    folder = shell_text(FOLDER if host.values is None else host.values)
    return f'"{between_quotes(folder)}/{path}/${variable}/{between_quotes(name)}"'


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
