"""What came of stages and of the pipeline: finally stages read it."""

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
    """Return *reference*, which *reader* makes to the status of *stage* ("" is the pipeline), with its scope settled.

    One of the *final* stages alone may make it; *is_over* says that it has ended and this is its mail.
    """
    own = reader.name.value
    if not stage and reference.name != STATUS:
        report.add(
            codes.UNBOUND_NAME,
            f'"{reference}" is not bound: a pipeline has a status and nothing else',
            at=reference.span,
            hint='write "${pipeline.status}"',
        )
    elif own not in final:
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'"{reference}" is known to finally stages alone, and stage "{own}" is none',
            at=reference.span,
            hint='read it in a stage that "finally" of the pipeline names',
        )
    elif is_over or stage in final:
        why = "a mail cannot tell it" if is_over else f'stage "{stage}" is a finally stage itself'
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'"{reference}" is not known: {why}',
            at=reference.span,
            also=[] if is_over else [Label(final[stage], "a finally stage")],
            hint='read it in "script" or "env"' if is_over else "read that of another stage, or of the pipeline",
        )
    elif stage and stage not in order.positions:
        report.add(
            codes.STATUS_OUT_OF_PLACE,
            f'"{reference}" is not known: stage "{stage}" stands in no arc, so it never runs',
            at=reference.span,
            hint=f'add [{stage}] to "execution", or leave the reference out',
        )
    else:
        return replace(reference, namespace=stage, default=None, combinations=None, scope=Scope.STATUS)
    return ""


def report_final(reference: Reference, final: Span, report: Report) -> str:
    """Report that *reference* reads an output of a *final* stage; return what stands in its place."""
    report.add(
        codes.READS_FINAL_STAGE,
        f'stage "{reference.namespace}" runs after all others, so nobody can read its outputs',
        at=reference.span,
        also=[Label(final, "a finally stage")],
        hint='bind the value in a stage before, or give that stage an arc and remove it from "finally"',
    )
    return ""
