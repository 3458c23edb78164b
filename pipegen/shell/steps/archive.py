"""What is kept of a copy: for people, and for jobs that no pattern can hand it to."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import dirname

from pipegen.bindings.expression import Items, Loop
from pipegen.plan.model import Copy, CopyFile, Job, Leave
from pipegen.shell.carried import ARCHIVE, packs_files
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.layout import indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, Word, assigned, constant, quote, shell_text
from pipegen.shell.steps.destination import Destination, planned_path

ADDRESSES = '"$pipegen/artifactURLs"'
# The folders in which copies wait for the end of the script; what they hold is as it stands from the root.
ARCHIVED = ShellFragment("$pipegen/archive")
STAGED = ShellFragment("$pipegen/files")
_KEPT = "pipegen_kept"
_RETENTION = frozenset((Copy, Leave))


def archives(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* leaves files to keep in `.pipegen/archive`."""
    if not host.archives_folders or _RETENTION.isdisjoint(map(type, job.steps)):
        return False
    return any(
        (isinstance(step, Copy) and any(file.archive for file in entries(step.files)))
        or (isinstance(step, Leave) and step.is_kept)
        for step in job.steps
    )


def hand_over() -> Command:
    """Return the command that puts what is archived where the engine finds it."""
    # Where jobs share a tree, files of others may wait there.
    return Command((f"mkdir -p {ARCHIVE}", f'cp -RP "$pipegen/archive/." {ARCHIVE}'))


def entries(files: Items[CopyFile]) -> Iterator[CopyFile]:
    """Yield the entries of a `copy`, those inside loops too."""
    for file in files:
        while isinstance(file, Loop):
            file = file.body  # noqa: PLW2901 - down to the entry
        yield file


def is_staged(file: CopyFile, lowering: Lowering) -> bool:
    """Return whether a copy travels in a tar.

    Its path is known only at run time, would be read as a pattern, or is that of an ancestor's file, over which the
    script itself unpacks it.
    """
    job = lowering.job
    if not packs_files(job, lowering.host):
        return False
    plain = {one.path for one in job.artifacts if one.path is not None and not one.overwrites}
    return planned_path(file, job) not in plain


def archiving(file: CopyFile, copied: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that keep an archived copy, and tell its address."""
    if not file.archive or not (lowering.host.archives_folders or "artifactURLs" in lowering.needed):
        return ()
    folder = _kept(copied, lowering, is_folder=True)
    source = file.source.constant
    if source is not None and source.endswith(("/", "/.")):
        return folder
    single = _kept(copied, lowering, is_folder=False)
    return (f"if [ -d {quote(copied.path)} ]; then", *indented(folder), "else", *indented(single), "fi")


def _kept(copied: Destination, lowering: Lowering, *, is_folder: bool) -> tuple[str, ...]:
    host = lowering.host
    packs = host.archives_folders and is_folder
    name: Word = (*copied.name, Literal(".tar.gz")) if packs else copied.name
    lines: tuple[str, ...] = ()
    if host.archives_folders:
        made, target = place_for(name, ARCHIVED)
        path = quote(copied.path)
        # GNU tar reads backslashes in the names that it is given, so it gets none.
        lines = (*made, f"(cd {path} && tar -czf - .) >{target}" if packs else f"cp {path} {target}")
    if "artifactURLs" in lowering.needed:
        start = shell_text(host.folder_url if is_folder else host.file_url)
        lines = (*lines, f"printf '%s\\n' {quote((*start, *name))} >>{ADDRESSES}")
    return lines


def place_for(name: Word, root: ShellFragment) -> tuple[tuple[str, ...], str]:
    """Return the commands that make the folder for *name* below *root*, and the place there."""
    known = constant(name)
    if known is None:
        place = assigned((root, Literal("/"), *name))
        return (f"{_KEPT}={place}", f'mkdir -p "${{{_KEPT}%/*}}"'), f'"${_KEPT}"'
    folder = dirname(known)
    around = (f"mkdir -p {quote((root, Literal(f'/{folder}')))}",)
    return around if folder else (), quote((root, Literal(f"/{known}")))
