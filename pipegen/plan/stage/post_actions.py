"""Commands that run after the steps of a stage."""

from __future__ import annotations

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.plan.model import Export, Line, Step, TriggerJob
from pipegen.plan.stage.commands import check_entries, entries_of
from pipegen.plan.values import StageValues


def post_commands(stage: StageConfig, steps: tuple[Step, ...], values: StageValues) -> tuple[Line, ...]:
    """Return the `after` commands of *stage*, which cannot read outputs of its *steps*."""
    if stage.after is None:
        return ()
    if all(isinstance(step, Export | TriggerJob) for step in steps):
        values.report.add(
            codes.MISSING_KEY,
            f'stage "{stage.said}" has "after" but no steps',
            at=stage.after.span,
            hint='add "script"',
        )
    entries = entries_of(stage.after.node)
    check_entries("after", entries, stage.after, values.report)
    values.failed()
    return tuple(values.line(entry) for entry in entries)
