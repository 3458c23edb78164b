"""The status of stages and of the pipeline, which finally stages can read."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.bindings.expression import Part, Reference, Scope
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.source.text import Span
from pipegen.structs import replace

PIPELINE = "pipeline"
STATUS = "status"


def resolve_status(
    reference: Reference,
    stage: str,
    reader: StageConfig,
    final: Mapping[str, Span],
    order: Closure,
    report: Report,
    *,
    is_over: bool,
) -> Part:
    """Return *reference*, by which *reader* reads the status of *stage* ("" is the pipeline), resolved.

    Only *final* stages can read it; for one that runs for one status of the pipeline, this is text. With *is_over*, the
    reference is in the email of a stage that has ended.
    """
    own = reader.name.value
    if not stage and reference.name != STATUS:
        report.add(
            codes.UNBOUND_NAME,
            f'"{reference}" is not bound: a pipeline has only a status',
            at=reference.span,
            hint='write "${pipeline.status}"',
        )
    elif own not in final:
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'only finally stages can read "{reference}", and stage "{own}" is not one',
            at=reference.span,
            hint='read it in a stage listed under "finally" of the pipeline',
        )
    elif is_over or stage in final:
        reason = "emails cannot contain it" if is_over else f'stage "{stage}" is itself a finally stage'
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'"{reference}" is not known: {reason}',
            at=reference.span,
            related=[] if is_over else [Label(final[stage], "a finally stage")],
            hint='read it in "script" or "env"' if is_over else "read the status of another stage or of the pipeline",
        )
    elif stage and stage not in order.positions:
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'"{reference}" is not known: stage "{stage}" is in no arc, so it never runs',
            at=reference.span,
            hint=f'add [{stage}] to "execution", or remove the reference',
        )
    else:
        status = "" if stage else reader.on_status
        return status or replace(reference, namespace=stage, default=None, combinations=None, scope=Scope.STATUS)
    return ""


def report_final(reference: Reference, final: Span, report: Report) -> str:
    """Report that *reference* reads an output of a *final* stage; return the text that replaces it."""
    report.add(
        codes.READS_FINAL_STAGE,
        f'stage "{reference.namespace}" runs after all other stages, so no stage can read its outputs',
        at=reference.span,
        related=[Label(final, "a finally stage")],
        hint='bind the value in an earlier stage, or add an arc for that stage and remove it from "finally"',
    )
    return ""
