"""Copying files out of stopped containers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from posixpath import basename

from pipegen.bindings.expression import Loop
from pipegen.plan.model import Commands, Copy, CopyFile, Job
from pipegen.shell.command import Command
from pipegen.shell.layout import failure
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import container_name
from pipegen.shell.quote import Literal, ShellFragment, Word, quote
from pipegen.shell.steps.archive import ADDRESSES, ARCHIVED, STAGED, archive_copy, has_archive, is_staged, path_below
from pipegen.shell.steps.destination import Destination, check_destination, destination
from pipegen.shell.values.transfers import packs_files, path_to_read_later
from pipegen.shell.words.container_path import container_path
from pipegen.shell.words.items import each
from pipegen.shell.words.text import own_variable, word

_UNPACKED = ShellFragment("$pipegen/copied")


def copy(step: Copy, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    if "artifactURLs" in lowering.needed:
        yield Command((f": >{ADDRESSES}",), "an address for each archived copy")
    if has_archive(lowering.job, lowering.host):
        yield Command((f"mkdir {quote((ARCHIVED,))}",))
    if packs_files(lowering.job, lowering.host):
        yield Command((f"mkdir {quote((STAGED,))}",), "copies that travel in a tar")
    # A fresh checkout contains no untrusted link until something is copied or unpacked into it.
    is_touched = bool(lowering.job.files) or any(isinstance(step_, Commands) for step_ in lowering.job.steps)
    for item in step.files:
        is_touched |= isinstance(item, Loop)
        yield Command(each((item,), lowering, partial(_copy_entry, is_touched=is_touched)))
        is_touched = True
    if "artifactURLs" in lowering.needed:
        yield Command((f"{own_variable('artifactURLs', lowering)}=$(cat {ADDRESSES})",))


def _copy_entry(file: CopyFile, lowering: Lowering, *, is_touched: bool) -> tuple[str, ...]:
    """Return the commands that copy one entry, and archive or pack it."""
    to = destination(file, lowering)
    path = quote(to.path)
    source_lines, source = container_path(file.source, lowering)
    lines = (*to.lines, *source_lines)
    if file.source.constant is None:
        lines += (f"case {quote(source)} in */.) mkdir -p {path} ;; esac",)
    if is_touched:
        lines += check_destination(to, lowering)
    lines += _copy_commands(file, source, path, lowering)
    if is_staged(file, lowering):
        lines += _stage_copy(file, source, to, lowering)
    return (*lines, *archive_copy(file, to, lowering))


def _stage_copy(file: CopyFile, source: Word, to: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that put a copy into the folder of the tar, at the same path."""
    if to.is_directory:
        # Only the copied files go into the tar, not the rest of the directory.
        folder = quote((STAGED, Literal(f"/{lowering.job.directory}")))
        return (f"mkdir -p {folder}", *_copy_commands(file, source, folder, lowering))
    folder_lines, target = path_below(to.name, STAGED)
    path = quote(to.path)
    content = quote((*to.path, Literal("/.")))
    return (
        *folder_lines,
        f"if [ -d {path} ]; then",
        f"  mkdir -p {target}",
        f"  cp -RP {content} {target}",
        "else",
        f"  cp -P {path} {target}",
        "fi",
    )


def _copy_commands(file: CopyFile, source: Word, path: str, lowering: Lowering) -> tuple[str, ...]:
    producer = file.container.producer
    if producer is None:
        name = word(file.container.name, lowering)
        return (f"$DOCKER cp -- {quote((*name, Literal(':'), *source))} {path}",)
    job = lowering.job if producer == lowering.job.stage else lowering.producers[producer]
    if producer == lowering.job.stage or lowering.host.shares_daemon:
        name = container_name(job, lowering.host)
        return (f"$DOCKER cp {quote((*name, Literal(':'), *source))} {path}",)
    return _copy_unpacked(file, path, job, lowering)


def _copy_unpacked(file: CopyFile, path: str, producer: Job, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that copy, as `docker cp` would, from the tar that the container's own job packed."""
    source = file.source.constant
    if source is None:
        message = 'the container of stage "%s" is out of reach for a path that only a run knows'
        return failure(lowering.job, message, (Literal(producer.stage),))
    number = producer.shared.container_paths.index(file.source)
    tar = path_to_read_later(f"containers/{producer.slug}/{number}.tar", lowering.job, lowering.host)
    is_content = source.endswith(("/", "/."))
    unpacked = quote((_UNPACKED, Literal("/." if is_content else f"/{basename(source)}")))
    return (
        f"rm -rf {quote((_UNPACKED,))}",
        f"mkdir {quote((_UNPACKED,))}",
        f"tar -xf {tar} -C {quote((_UNPACKED,))}",
        *((f"mkdir -p {path}",) if is_content else ()),
        f"cp -RP {unpacked} {path}",
    )
