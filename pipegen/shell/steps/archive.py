"""Archived copies: for people to download, and in a tar for jobs whose files no pattern matches."""

from __future__ import annotations

from posixpath import dirname

from pipegen.plan.model import Copy, CopyFile, Job, Leave
from pipegen.shell.command import Command
from pipegen.shell.host import ShellEnvironment
from pipegen.shell.layout import indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, Word, assigned, constant, quote, shell_text
from pipegen.shell.steps.destination import Destination, is_folder_content
from pipegen.shell.values.transfers import ARCHIVE, is_packed, packs_files

ADDRESSES = '"$pipegen/artifactURLs"'
# Folders for copies until the end of the script; paths in them are relative to the root of the repository.
ARCHIVED = ShellFragment("$pipegen/archive")
STAGED = ShellFragment("$pipegen/files")
_TARGET = "pipegen_target"
_RETENTION = frozenset((Copy, Leave))


def has_archive(job: Job, host: ShellEnvironment) -> bool:
    """Return whether *job* leaves files in `.pipegen/archive`."""
    if not host.archives_folders or _RETENTION.isdisjoint(map(type, job.steps)):
        return False
    return any(
        (isinstance(step, Copy) and any(file.archive for file in step.entries))
        or (isinstance(step, Leave) and step.is_kept)
        for step in job.steps
    )


def publish_archive() -> Command:
    """Return the command that moves archived files to where the engine collects them."""
    # Where jobs share a workspace, the folder may contain files of others.
    return Command((f"mkdir -p {ARCHIVE}", f'cp -RP "$pipegen/archive/." {ARCHIVE}'))


def is_staged(file: CopyFile, lowering: Lowering) -> bool:
    """Return whether a copy is passed to other jobs in a tar.

    This is so if its path is a run-time value, would be read as a pattern, or is that of an ancestor's file,
    which the script overwrites when it unpacks the tar, unless the engine does.
    """
    job = lowering.job
    if not packs_files(job, lowering.host):
        return False
    pattern_paths = {
        artifact.path
        for artifact in job.artifacts
        if artifact.path is not None and not is_packed(artifact, lowering.host)
    }
    return file.artifact_path(job.directory) not in pattern_paths


def archive_copy(file: CopyFile, copied: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that archive a copy and record its address."""
    if not file.archive or not (lowering.host.archives_folders or "artifactURLs" in lowering.needed):
        return ()
    folder_lines = _archive_commands(copied, lowering, is_folder=True)
    if is_folder_content(file.source):
        return folder_lines
    file_lines = _archive_commands(copied, lowering, is_folder=False)
    return (f"if [ -d {quote(copied.path)} ]; then", *indented(folder_lines), "else", *indented(file_lines), "fi")


def _archive_commands(copied: Destination, lowering: Lowering, *, is_folder: bool) -> tuple[str, ...]:
    host = lowering.host
    packs = host.archives_folders and is_folder
    name: Word = (*copied.name, Literal(".tar.gz")) if packs else copied.name
    lines: tuple[str, ...] = ()
    if host.archives_folders:
        folder_lines, target = path_below(name, ARCHIVED)
        path = quote(copied.path)
        # GNU tar interprets backslashes in file names, so the archive is its standard output.
        lines = (*folder_lines, f"(cd {path} && tar -czf - .) >{target}" if packs else f"cp {path} {target}")
    if "artifactURLs" in lowering.needed:
        start = shell_text(host.folder_url if is_folder else host.file_url)
        lines = (*lines, f"printf '%s\\n' {quote((*start, *name))} >>{ADDRESSES}")
    return lines


def path_below(name: Word, root: ShellFragment) -> tuple[tuple[str, ...], str]:
    """Return the commands that create the folder for *name* below *root*, and the path there."""
    constant_name = constant(name)
    if constant_name is None:
        path = assigned((root, Literal("/"), *name))
        return (f"{_TARGET}={path}", f'mkdir -p "${{{_TARGET}%/*}}"'), f'"${_TARGET}"'
    folder = dirname(constant_name)
    lines = (f"mkdir -p {quote((root, Literal(f'/{folder}')))}",)
    return lines if folder else (), quote((root, Literal(f"/{constant_name}")))
