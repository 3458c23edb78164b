"""Where a copy goes: a path below the job's directory, made sure of at run time where it must be."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from pipegen.bindings.expression import Text
from pipegen.plan.model import CopyFile, Job
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, Variable, Word, assigned, quote
from pipegen.shell.text import word
from pipegen.structs import Struct

_PATH = "pipegen_path"
# The path without slashes at its end, so that its last part is its name.
_NAME = "pipegen_name"


class Destination(Struct, kw_only=True):
    """The place of a copy.

    Attributes:
        lines: the commands that set it and make the folder around it.
        path: from the job's directory, as commands take it.
        name: from the root of the repository, without slashes at its end.
        is_directory: whether it is the job's directory itself.
    """

    lines: tuple[str, ...]
    path: Word
    name: Word
    is_directory: bool


def destination(file: CopyFile, lowering: Lowering) -> Destination:
    """Return where *file* goes."""
    known = file.destination.constant
    if known is None:
        return _at_run_time(file, lowering)
    path = known.lstrip("/") or "."
    folder = path.rstrip("/") if path != "." and _is_content(file.source) else dirname(path.rstrip("/"))
    return Destination(
        lines=(f"mkdir -p {quote(_operand(folder))}",) if folder else (),
        path=(Literal(_operand(path)),),
        name=(Literal(_from_root(path, lowering.job)),),
        is_directory=normpath(path) == ".",
    )


def planned_path(file: CopyFile, job: Job) -> str | None:
    """Return the path that an artifact of *job* has for *file*; None where only the run knows it."""
    path, source = file.destination.constant, file.source.constant
    if path is None:
        return None
    if normpath(path.lstrip("/") or ".") == ".":
        return _from_root(basename(source), job) if source and basename(source) else None
    return _from_root(path.lstrip("/"), job)


def _at_run_time(file: CopyFile, lowering: Lowering) -> Destination:
    directory = lowering.job.directory
    outside = failure(lowering.job, '"%s" lies outside the directory of the stage', (Variable(_PATH),))
    lines = (
        f"{_PATH}={assigned(word(file.destination, lowering))}",
        # Slashes at the start go: all is relative to the job's directory.
        f'{_PATH}=${{{_PATH}#"${{{_PATH}%%[!/]*}}"}}',
        f'{_NAME}=${{{_PATH}%"${{{_PATH}##*[!/]}}"}}',
        f"case /${_NAME}/ in",
        "  */../*)",
        *indented(indented(outside)),
        "    ;;",
        *(() if _is_content(file.source) else (f'  /*/*/) mkdir -p "./${{{_NAME}%/*}}" ;;',)),
        "esac",
    )
    return Destination(
        lines=(*lines, f'mkdir -p "./${_PATH}"') if _is_content(file.source) else lines,
        path=(Literal("./"), Variable(_PATH)),
        name=(*((Literal(f"{directory}/"),) if directory != "." else ()), Variable(_NAME)),
        is_directory=False,
    )


def _is_content(source: Text) -> bool:
    """Return whether *source* is known to mean what a folder holds; docker makes a folder for it, podman does not."""
    return (source.constant or "").endswith(("/", "/."))


def _operand(path: str) -> str:
    """Return *path* so that it is no option, no standard output and no container's path."""
    return f"./{path}" if path.startswith("-") or ":" in path else path


def _from_root(path: str, job: Job) -> str:
    return normpath(join(job.directory, path))
