"""Artifacts whose path is a run-time value: an engine has no pattern for them, so they go into a tar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Leave
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, ShellFragment, VariableExpansion, Word, assigned, quote
from pipegen.shell.steps.archive import ARCHIVED, STAGED, has_archive
from pipegen.shell.steps.destination import check_links
from pipegen.shell.values.transfers import packs_files
from pipegen.shell.words.text import word

_PATH = "pipegen_path"
_TARGET = "pipegen_target"


def leave(step: Leave, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*; where jobs share a workspace, its files stay where they are."""
    job, host = lowering.job, lowering.host
    roots = [STAGED] if packs_files(job, host) else []
    roots += [ARCHIVED] if step.is_kept and has_archive(job, host) else []
    if not roots:
        return
    failure_lines = failure(job, 'artifacts "%s" lie outside the directory of the stage', (VariableExpansion(_PATH),))
    prefix = "/" if job.directory == "." else f"/{job.directory}/"
    targets: list[Word] = [(root, Literal(prefix), VariableExpansion(_PATH)) for root in roots]
    path: Word = (Literal("./"), VariableExpansion(_PATH))
    parent: Word = (Literal("./"), ShellFragment(f'${{{_PATH}%"${{{_PATH}##*/}}"}}'))
    yield Command(
        (
            f"{_PATH}={assigned(word(step.path, lowering))}",
            # A trailing slash makes no difference.
            f"{_PATH}=${{{_PATH}%/}}",
            f"case /${_PATH}/ in",
            "  //* | */../* | /./ | /.git/*)",
            *indented(indented(failure_lines)),
            "    ;;",
            "esac",
            *check_links((parent, path), ("-d",)),
            *_copy_commands(targets),
        ),
        "artifacts whose path is known only at run time",
    )


def _copy_commands(targets: Sequence[Word]) -> tuple[str, ...]:
    """Return the commands that copy the files at the path to *targets*."""
    lines = (
        f'mkdir -p "${{{_TARGET}%/*}}"',
        f'if [ -d "./${_PATH}" ]; then',
        f'  mkdir -p "${_TARGET}"',
        f'  cp -RPp "./${_PATH}/." "${_TARGET}"',
        f'elif [ -e "./${_PATH}" ]; then',
        f'  cp -Pp "./${_PATH}" "${_TARGET}"',
        "fi",
    )
    if len(targets) == 1:
        return (f"{_TARGET}={assigned(targets[0])}", *lines)
    return (f"for {_TARGET} in {' '.join(map(quote, targets))}; do", *indented(lines), "done")
