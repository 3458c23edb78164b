"""Copying files out of stopped containers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from posixpath import basename

from pipegen.bindings.expression import Loop
from pipegen.plan.model import Commands, Copy, CopyFile, Job
from pipegen.shell.carried import packs_files, read
from pipegen.shell.command import Command
from pipegen.shell.container_path import container_path
from pipegen.shell.items import each
from pipegen.shell.kept import container_name
from pipegen.shell.layout import failure
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, Word, quote
from pipegen.shell.steps.archive import ADDRESSES, ARCHIVED, STAGED, archives, archiving, is_staged, place_for
from pipegen.shell.steps.destination import Destination, destination, within
from pipegen.shell.text import own_variable, word

_UNPACKED = ShellFragment("$pipegen/copied")


def copy(step: Copy, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    if "artifactURLs" in lowering.needed:
        yield Command((f": >{ADDRESSES}",), "an address for each archived copy")
    if archives(lowering.job, lowering.host):
        yield Command((f"mkdir {quote((ARCHIVED,))}",))
    if packs_files(lowering.job, lowering.host):
        yield Command((f"mkdir {quote((STAGED,))}",), "copies that travel in a tar")
    # The checkout holds no link that a stranger has made, as long as nothing has been put into it.
    is_touched = bool(lowering.job.files) or any(isinstance(one, Commands) for one in lowering.job.steps)
    for item in step.files:
        is_touched |= isinstance(item, Loop)
        yield Command(each((item,), lowering, partial(_copied, is_touched=is_touched)))
        is_touched = True
    if "artifactURLs" in lowering.needed:
        yield Command((f"{own_variable('artifactURLs', lowering)}=$(cat {ADDRESSES})",))


def _copied(file: CopyFile, lowering: Lowering, *, is_touched: bool) -> tuple[str, ...]:
    """Return the commands that copy one entry and keep what is to be archived or packed of it."""
    to = destination(file, lowering)
    path = quote(to.path)
    source_lines, source = container_path(file.source, lowering)
    lines = (*to.lines, *source_lines)
    if file.source.constant is None:
        lines += (f"case {quote(source)} in */.) mkdir -p {path} ;; esac",)
    if is_touched:
        lines += within(to, lowering)
    lines += _copy_commands(file, source, path, lowering)
    if is_staged(file, lowering):
        lines += _staging(file, source, to, lowering)
    return (*lines, *archiving(file, to, lowering))


def _staging(file: CopyFile, source: Word, to: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that set a copy aside for the tar, at the same place below another folder."""
    if to.is_directory:
        # Only what is copied travels, not all that stands in the directory.
        folder = quote((STAGED, Literal(f"/{lowering.job.directory}")))
        return (f"mkdir -p {folder}", *_copy_commands(file, source, folder, lowering))
    made, place = place_for(to.name, STAGED)
    path = quote(to.path)
    content = quote((*to.path, Literal("/.")))
    return (
        *made,
        f"if [ -d {path} ]; then",
        f"  mkdir -p {place}",
        f"  cp -RP {content} {place}",
        "else",
        f"  cp -P {path} {place}",
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
    return _unpacked(file, path, job, lowering)


def _unpacked(file: CopyFile, path: str, producer: Job, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that copy from the tar that the container's own job packed, as `docker cp` would."""
    source = file.source.constant
    if source is None:
        message = 'the container of stage "%s" is out of reach for a path that only a run knows'
        return failure(lowering.job, message, (Literal(producer.stage),))
    number = producer.shared.container_paths.index(file.source)
    tar = read(f"containers/{producer.slug}/{number}.tar", lowering.host)
    is_content = source.endswith(("/", "/."))
    unpacked = quote((_UNPACKED, Literal("/." if is_content else f"/{basename(source)}")))
    return (
        f"rm -rf {quote((_UNPACKED,))}",
        f"mkdir {quote((_UNPACKED,))}",
        f"tar -xf {tar} -C {quote((_UNPACKED,))}",
        *((f"mkdir -p {path}",) if is_content else ()),
        f"cp -RP {unpacked} {path}",
    )
