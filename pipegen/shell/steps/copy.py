"""Copying files out of stopped containers."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from pipegen.plan.model import Copy, CopyFile, Job
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.merge import merge_folder
from pipegen.shell.names import container_name
from pipegen.shell.quote import Literal, ShellFragment, Word, quote
from pipegen.shell.steps.archive import ADDRESSES, ARCHIVED, STAGED, archive_copy, has_archive, is_staged, path_below
from pipegen.shell.steps.destination import Destination, check_destination, destination, is_folder_content
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
        yield Command((f"mkdir {quote((STAGED,))}",), "copies that other jobs get in a tar")
    for item in step.files:
        lines = each((item,), lowering, _copy_entry)
        is_plain = isinstance(item, CopyFile) and _is_plain(item, lowering)
        yield from (Command((line,)) for line in lines) if is_plain else (Command(lines),)
    if "artifactURLs" in lowering.needed:
        yield Command((f"{own_variable('artifactURLs', lowering)}=$(cat {ADDRESSES})",))


def _is_plain(file: CopyFile, lowering: Lowering) -> bool:
    """Return whether each line that copies *file* is a command."""
    is_known = file.source.constant is not None and file.destination.constant is not None
    return (
        is_known
        and is_folder_content(file.source)
        and not is_staged(file, lowering)
        and not _is_unpacked(file, lowering)
    )


def _is_unpacked(file: CopyFile, lowering: Lowering) -> bool:
    """Return whether *file* comes from a tar that the container's own job packed."""
    return file.container.producer not in (None, lowering.job.stage) and not lowering.host.shares_daemon


def _copy_entry(file: CopyFile, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that copy one entry, and archive or pack it."""
    to = destination(file, lowering)
    path = quote(to.path)
    source_lines, source = container_path(file.source, lowering)
    lines = (*to.lines, *source_lines)
    if file.source.constant is None:
        lines += (f"case {quote(source)} in */.) mkdir -p {path} ;; esac",)
    check_lines = check_destination(to)
    lines += (*check_lines, *_copy_commands(file, source, to.path, lowering))
    staging = _stage_copy(file, source, to, lowering) if is_staged(file, lowering) else ()
    if not is_folder_content(file.source) and (staging or (file.archive and lowering.host.archives_folders)):
        # The copy may be a link of the image, whose target would be read.
        lines += check_lines
    return (*lines, *staging, *archive_copy(file, to, lowering))


def _stage_copy(file: CopyFile, source: Word, to: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that put a copy into the folder of the tar, at the same path."""
    if to.is_directory:
        # Only the copied files go into the tar, not the rest of the directory.
        folder = (STAGED, Literal(f"/{lowering.job.directory}"))
        return (f"mkdir -p {quote(folder)}", *_copy_commands(file, source, folder, lowering))
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


def _copy_commands(file: CopyFile, source: Word, to: Word, lowering: Lowering) -> tuple[str, ...]:
    producer = file.container.producer
    if producer is None:
        name = word(file.container.name, lowering)
        return (f"{lowering.host.docker} cp -- {quote((*name, Literal(':'), *source))} {quote(to)}",)
    job = lowering.job if producer == lowering.job.stage else lowering.producers[producer]
    if _is_unpacked(file, lowering):
        return _copy_unpacked(file, to, job, lowering)
    name = container_name(job, lowering.host)
    return (f"{lowering.host.docker} cp {quote((*name, Literal(':'), *source))} {quote(to)}",)


def _copy_unpacked(file: CopyFile, to: Word, producer: Job, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that copy, as `docker cp` would, from the tar that the container's own job packed."""
    source = file.source.constant
    if source is None:
        message = 'the container of stage "%s" is out of reach for a path that only a run knows'
        return failure(lowering.job, message, (Literal(producer.stage),))
    number = producer.shared.container_paths.index(file.source)
    tar = path_to_read_later(f"containers/{producer.slug}/{number}.tar", lowering.job, lowering.host)
    path = quote(to)
    merge_lines = merge_folder(quote((_UNPACKED, Literal("/."))), quote((*to, Literal("/."))))
    if is_folder_content(file.source):
        copy_lines: tuple[str, ...] = (f"mkdir -p {path}", *merge_lines)
    else:
        unpacked = quote((_UNPACKED, Literal(f"/{basename(source)}")))
        copy_lines = (f"if [ -d {path} ]; then", *indented(merge_lines), "else", f"  cp -RP {unpacked} {path}", "fi")
    return (
        f"rm -rf {quote((_UNPACKED,))}",
        f"mkdir {quote((_UNPACKED,))}",
        f"tar -xf {tar} -C {quote((_UNPACKED,))}",
        *copy_lines,
    )
