"""The destination of a copy: a path below the job's directory, checked at run time where necessary."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import dirname, join, normpath

from pipegen.bindings.expression import Text
from pipegen.plan.model import CopyFile, Job
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, VariableExpansion, Word, assigned, operand, quote
from pipegen.shell.words.text import word
from pipegen.structs import Struct

_PATH = "pipegen_path"
# The path without trailing slashes, so that its last part is its name.
_NAME = "pipegen_name"
_TARGET = "pipegen_folder"


class Destination(Struct, kw_only=True):
    """The destination of a copy.

    Attributes:
        lines: the commands that set it and create its parent folder, unless the check of the path creates it.
        path: relative to the job's directory, as an operand of a command.
        name: relative to the root of the repository, without trailing slashes.
        is_directory: whether it is the job's directory itself.
        folder, last: the parent folder, which must exist, and the path itself, as operands of `cd`.
    """

    lines: tuple[str, ...]
    path: Word
    name: Word
    is_directory: bool
    folder: Word
    last: Word


def destination(file: CopyFile, lowering: Lowering) -> Destination:
    """Return the destination of *file*."""
    constant_path = file.destination.constant
    if constant_path is None:
        return _at_run_time(file, lowering)
    path = constant_path.lstrip("/") or "."
    is_directory = normpath(path) == "."
    is_created = is_folder_content(file.source)
    folder = path.rstrip("/") if path != "." and is_created else dirname(path.rstrip("/"))
    return Destination(
        lines=(f"mkdir -p {quote(_operand(folder))}",) if folder and (is_directory or not is_created) else (),
        path=(Literal(_operand(path)),),
        name=(Literal(_from_root(path, lowering.job)),),
        is_directory=is_directory,
        folder=(Literal(f"./{folder}"),),
        last=(Literal(f"./{path.rstrip('/')}"),),
    )


def check_destination(to: Destination) -> tuple[str, ...]:
    """Return the commands that fail the script where a link leads *to* out of the job's directory.

    The repository, earlier copies and files of other stages may contain such a link, and `docker cp` follows it.
    """
    if to.is_directory:
        return ()
    if to.folder == to.last:
        return (_check_link(to.last, is_created=True),)
    return check_links((to.folder, to.last), ("-d", "-L"))


def check_links(paths: Sequence[Word], tests: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that fail the script where one of *paths* leads out of the job's directory.

    Only paths to which one of *tests* applies are checked; they fail if they are not folders.
    """
    conditions = (f'[ {test} "${_TARGET}" ]' for test in tests)
    return (
        f"for {_TARGET} in {' '.join(map(quote, paths))}; do",
        f"  {' || '.join(conditions)} || continue",
        f"  {_check_link((VariableExpansion(_TARGET),))}",
        "done",
    )


def _check_link(path: Word, *, is_created: bool = False) -> str:
    """Return the command that fails the script where the folder *path* is out of the job's directory."""
    folder = quote(path)
    message = f"printf '%s leads out of the directory of the stage\\n' {folder} >&2"
    enter = f"mkdir -p {folder} && cd {folder}" if is_created else f"cd {folder} 2>/dev/null"
    return f'case $({enter} && pwd -P)/ in "$(pwd -P)"/*) ;; *) {message}; exit 1 ;; esac'


def _at_run_time(file: CopyFile, lowering: Lowering) -> Destination:
    directory = lowering.job.directory
    failure_lines = failure(lowering.job, '"%s" lies outside the directory of the stage', (VariableExpansion(_PATH),))
    lines = (
        f"{_PATH}={assigned(word(file.destination, lowering))}",
        # Remove leading slashes: the path is relative to the job's directory.
        f'{_PATH}=${{{_PATH}#"${{{_PATH}%%[!/]*}}"}}',
        f'{_NAME}=${{{_PATH}%"${{{_PATH}##*[!/]}}"}}',
        f"case /${_NAME}/ in",
        "  */../*)",
        *indented(indented(failure_lines)),
        "    ;;",
        *(() if is_folder_content(file.source) else (f'  /*/*/) mkdir -p "./${{{_NAME}%/*}}" ;;',)),
        "esac",
    )
    return Destination(
        lines=(*lines, f'mkdir -p "./${_PATH}"') if is_folder_content(file.source) else lines,
        path=(Literal("./"), VariableExpansion(_PATH)),
        name=(*((Literal(f"{directory}/"),) if directory != "." else ()), VariableExpansion(_NAME)),
        is_directory=False,
        folder=(Literal("./"), ShellFragment(f'${{{_NAME}%"${{{_NAME}##*/}}"}}')),
        last=(Literal("./"), VariableExpansion(_NAME)),
    )


def is_folder_content(source: Text) -> bool:
    """Return whether *source* is the content of a folder; docker creates the destination folder, podman does not."""
    return (source.constant or "").endswith(("/", "/."))


def _operand(path: str) -> str:
    """Return *path* in a form that is never an option, standard output or a path in a container."""
    return f"./{path}" if ":" in path else operand(path)


def _from_root(path: str, job: Job) -> str:
    return normpath(join(job.directory, path))
