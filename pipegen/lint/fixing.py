"""Application of fixes: edits of a text that do not change its meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipegen.diagnostics.model import Fix
from pipegen.lint.equivalence import is_equivalent
from pipegen.plan.model import Plan
from pipegen.source.text import SourceFile
from pipegen.structs import replace


def apply_fixes(
    file: SourceFile,
    fixes: Sequence[Fix],
    plans: Sequence[Plan],
    analyse: Callable[[SourceFile], Sequence[Plan] | None],
) -> SourceFile:
    """Return *file* with those of *fixes* that can be applied together.

    *plans* are those of *file*; *analyse* returns the plans of a changed file, None if it has errors.
    If all fixes together change the meaning, each half is tried, down to single fixes.
    """
    accepted: list[Fix] = []
    batches = [tuple(fixes)]
    fixed = file
    while batches:
        batch = batches.pop()
        candidate = apply_edits(file, [*accepted, *batch])
        candidate_plans = analyse(candidate) if candidate is not None else None
        if candidate is not None and candidate_plans is not None and is_equivalent(plans, candidate_plans):
            fixed, accepted = candidate, [*accepted, *batch]
        elif len(batch) > 1:
            batches += (batch[len(batch) // 2 :], batch[: len(batch) // 2])
    return fixed


def apply_edits(file: SourceFile, fixes: Sequence[Fix]) -> SourceFile | None:
    """Return *file* with all edits of *fixes*; None if two of them overlap."""
    edits = sorted((edit for fix in fixes for edit in fix.edits), key=lambda edit: edit.span.start)
    pieces, position = [], 0
    for edit in edits:
        if edit.span.start < position:
            return None
        pieces += [file.text[position : edit.span.start], edit.text]
        position = edit.span.end
    return replace(file, text="".join([*pieces, file.text[position:]]))
