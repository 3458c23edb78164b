"""Fixes made: edits of a text, kept where they leave its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.diagnostics.model import Fix
from pipegen.lint.equivalence import is_same
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile
from pipegen.structs import replace


def mended(
    file: SourceFile,
    fixes: Sequence[Fix],
    plans: Sequence[Plan],
    analyse: Callable[[SourceFile], Sequence[Plan] | None],
) -> SourceFile:
    """Return *file* with those of *fixes* that can be made together.

    *plans* are those of *file*; *analyse* returns those of a changed one, None where something is wrong with it.
    Where all fixes at once change the meaning, halves of them are tried, down to single ones.
    """
    kept: list[Fix] = []
    waiting = [tuple(fixes)]
    found = file
    while waiting:
        share = waiting.pop()
        tried = edited(file, [*kept, *share])
        known = analyse(tried) if tried is not None else None
        if tried is not None and known is not None and is_same(plans, known):
            found, kept = tried, [*kept, *share]
        elif len(share) > 1:
            waiting += (share[len(share) // 2 :], share[: len(share) // 2])
    return found


def edited(file: SourceFile, fixes: Sequence[Fix]) -> SourceFile | None:
    """Return *file* with all edits of *fixes* made; None where two of them meet."""
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.span.start)
    pieces, at = [], 0
    for edit in edits:
        if edit.span.start < at:
            return None
        pieces += [file.text[at : edit.span.start], edit.text]
        at = edit.span.end
    return replace(file, text="".join([*pieces, file.text[at:]]))
