"""Files left at a path that only the run knows: no pattern of an engine can name them, so they travel in a tar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.plan.model import Leave
from pipegen.shell.carried import packs_files
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word, assigned, quote
from pipegen.shell.steps.archive import ARCHIVED, STAGED, archives
from pipegen.shell.text import word

_PATH = "pipegen_path"
_PLACE = "pipegen_kept"


def leave(step: Leave, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*; where jobs share a tree, its files stay where they are."""
    job, host = lowering.job, lowering.host
    roots = [STAGED] if packs_files(job, host) else []
    roots += [ARCHIVED] if step.is_kept and archives(job, host) else []
    if not roots:
        return
    outside = failure(job, 'artifacts "%s" lie outside the directory of the stage', (VariableExpansion(_PATH),))
    below = "/" if job.directory == "." else f"/{job.directory}/"
    places: list[Word] = [(root, Literal(below), VariableExpansion(_PATH)) for root in roots]
    yield Command(
        (
            f"{_PATH}={assigned(word(step.path, lowering))}",
            # A slash at the end says that it is a folder, and means the same.
            f"{_PATH}=${{{_PATH}%/}}",
            f"case /${_PATH}/ in",
            "  //* | */../* | /./ | /.git/*)",
            *indented(indented(outside)),
            "    ;;",
            "esac",
            *_copied(places),
        ),
        "what is left at a path that only the run knows",
    )


def _copied(places: Sequence[Word]) -> tuple[str, ...]:
    """Return the commands that copy what stands at the path to *places*."""
    lines = (
        f'mkdir -p "${{{_PLACE}%/*}}"',
        f'if [ -d "./${_PATH}" ]; then',
        f'  mkdir -p "${_PLACE}"',
        f'  cp -RPp "./${_PATH}/." "${_PLACE}"',
        f'elif [ -e "./${_PATH}" ]; then',
        f'  cp -Pp "./${_PATH}" "${_PLACE}"',
        "fi",
    )
    if len(places) == 1:
        return (f"{_PLACE}={assigned(places[0])}", *lines)
    return (f"for {_PLACE} in {' '.join(map(quote, places))}; do", *indented(lines), "done")
