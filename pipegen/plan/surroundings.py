"""What a stage says beside its steps: what is kept of it, what it waits for, what only one engine understands."""

from __future__ import annotations

from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.caches import caches
from pipegen.plan.gates import NO_GATE, gate
from pipegen.plan.keeping import NOTHING_KEPT, Kept, kept
from pipegen.plan.model import Cache, Gate, Reuse
from pipegen.plan.raw import raw
from pipegen.plan.reuse import reuse
from pipegen.plan.values import Values
from pipegen.source.tree import Mapping
from pipegen.structs import Struct


class Surroundings(Struct, kw_only=True):
    """What stands around the steps of a stage."""

    kept: Kept
    caches: tuple[Cache, ...]
    gate: Gate
    raw: tuple[tuple[str, Mapping], ...]
    reuse: Reuse | None


_NOTHING = Surroundings(kept=NOTHING_KEPT, caches=(), gate=NO_GATE, raw=(), reuse=None)


def surroundings(stage: Stage, directory: str, values: Values) -> Surroundings:
    """Return what *stage*, which runs in *directory*, says beside its steps, all of which have run."""
    said = (stage.artifacts, stage.reports, stage.cache, stage.approve, stage.lock, stage.environment)
    if not any(said) and stage.raw is None and stage.reuse is None:
        return _NOTHING
    _check_alone(stage, values.report)
    return Surroundings(
        kept=kept(stage, directory, values),
        caches=caches(stage, directory, values),
        gate=gate(stage, values),
        raw=raw(stage, values.report),
        reuse=reuse(stage, directory, values.report),
    )


def _check_alone(stage: Stage, report: Report) -> None:
    """Report files that are to be kept of a stage in which nothing runs that could write them."""
    if any((stage.script, stage.build, stage.run, stage.copy, stage.publish, stage.promote, stage.deploy)):
        return
    for key, given in (("artifacts", stage.artifacts), ("reports", stage.reports), ("cache", stage.cache)):
        if given is not None:
            report.add(
                codes.MISSING_KEY,
                f'stage "{stage.name.value}" has "{key}", and nothing that runs and could write them',
                at=given.span,
                hint='add "script"',
            )
