"""What runs once the steps of a stage have ended."""

from __future__ import annotations

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.plan.model import Export, Line, Step, TriggerJob
from pipegen.plan.stage.commands import check_entries, entries_of
from pipegen.plan.values import StageValues


def after(stage: StageConfig, steps: tuple[Step, ...], values: StageValues) -> tuple[Line, ...]:
    """Return the commands of *stage* that come after its *steps*; what the stage binds is not known to them."""
    if stage.after is None:
        return ()
    if all(isinstance(step, Export | TriggerJob) for step in steps):
        values.report.add(
            codes.MISSING_KEY,
            f'stage "{stage.said}" has "after", and nothing that it comes after',
            at=stage.after.span,
            hint='add "script"',
        )
    entries = entries_of(stage.after.node)
    check_entries("after", entries, stage.after, values.report)
    values.failed()
    return tuple(values.line(entry) for entry in entries)
