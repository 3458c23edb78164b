"""Where a copy goes: a path below the job's directory, made sure of at run time where it must be."""

from __future__ import annotations

from posixpath import basename, dirname, join, normpath

from pipegen.bindings.expression import Text
from pipegen.plan.model import CopyFile, Job
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, VariableExpansion, Word, assigned, quote
from pipegen.shell.text import word
from pipegen.structs import Struct

_PATH = "pipegen_path"
# The path without slashes at its end, so that its last part is its name.
_NAME = "pipegen_name"
_PLACE = "pipegen_place"


class Destination(Struct, kw_only=True):
    """The place of a copy.

    Attributes:
        lines: the commands that set it and make the folder around it.
        path: from the job's directory, as commands take it.
        name: from the root of the repository, without slashes at its end.
        is_directory: whether it is the job's directory itself.
        folder, last: the folder that must be there, and the place itself, as `cd` takes them.
    """

    lines: tuple[str, ...]
    path: Word
    name: Word
    is_directory: bool
    folder: Word
    last: Word


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
        folder=(Literal(f"./{folder}"),),
        last=(Literal(f"./{path.rstrip('/')}"),),
    )


def within(to: Destination, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that end the script where a link leads *to* out of the job's directory.

    What has been copied before, or left by another stage, may hold one, and `docker cp` follows it.
    """
    if to.is_directory:
        return ()
    place = (VariableExpansion(_PLACE),)
    outside = failure(lowering.job, '"%s" leads out of the directory of the stage', place)
    return (
        f"for {_PLACE} in {quote(to.folder)} {quote(to.last)}; do",
        f"  [ -d {quote(place)} ] || [ -L {quote(place)} ] || continue",
        f"  case $(cd {quote(place)} 2>/dev/null && pwd -P)/ in",
        '    "$(pwd -P)"/*) ;;',
        "    *)",
        *indented(indented(indented(outside))),
        "      ;;",
        "  esac",
        "done",
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
    outside = failure(lowering.job, '"%s" lies outside the directory of the stage', (VariableExpansion(_PATH),))
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
        path=(Literal("./"), VariableExpansion(_PATH)),
        name=(*((Literal(f"{directory}/"),) if directory != "." else ()), VariableExpansion(_NAME)),
        is_directory=False,
        folder=(Literal("./"), ShellFragment(f'${{{_NAME}%"${{{_NAME}##*/}}"}}')),
        last=(Literal("./"), VariableExpansion(_NAME)),
    )


def _is_content(source: Text) -> bool:
    """Return whether *source* is known to mean what a folder holds; docker makes a folder for it, podman does not."""
    return (source.constant or "").endswith(("/", "/."))


def _operand(path: str) -> str:
    """Return *path* so that it is no option, no standard output and no container's path."""
    return f"./{path}" if path.startswith("-") or ":" in path else path


def _from_root(path: str, job: Job) -> str:
    return normpath(join(job.directory, path))
