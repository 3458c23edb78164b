"""What came of stages and of the pipeline: finally stages read it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace

from pipegen.bindings.expression import Part, Reference, Scope
from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span

PIPELINE = "pipeline"
STATUS = "status"


def is_status(reference: Reference, stages: Container[str]) -> bool:
    """Return whether *reference* asks what came of one of *stages*, of the reading one or of the pipeline."""
    if is_of_pipeline(reference, stages):
        return True
    return reference.name == STATUS and (reference.namespace == "" or reference.namespace in stages)


def is_of_pipeline(reference: Reference, stages: Container[str]) -> bool:
    """Return whether *reference* reads from the pipeline, which a stage of that name among *stages* hides."""
    return reference.namespace == PIPELINE and PIPELINE not in stages


def resolve_status(
    reference: Reference, reader: Stage, final: Mapping[str, Span], report: Report, *, is_over: bool, is_whole: bool
) -> Part:
    """Return *reference*, which *reader* makes, with its scope settled; one of the *final* stages alone may make it.

    *is_whole* says that it asks for the pipeline, *is_over* that the stage has ended and this is its mail.
    """
    own = reader.name.value
    if is_whole and reference.name != STATUS:
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
    elif is_over or (not is_whole and reference.namespace in ("", *final)):
        _report_not_known(reference, reader, final, report, is_over=is_over)
    else:
        return replace(reference, namespace="" if is_whole else reference.namespace, default=None, scope=Scope.STATUS)
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


def _report_not_known(
    reference: Reference, reader: Stage, final: Mapping[str, Span], report: Report, *, is_over: bool
) -> None:
    stage = reference.namespace or reader.name.value
    why = "a mail cannot tell it" if is_over else f'stage "{stage}" is a finally stage itself'
    report.add(
        codes.STATUS_OUT_OF_PLACE,
        f'"{reference}" is not known: {why}',
        at=reference.span,
        also=[Label(final[stage], "a finally stage")] if not is_over else [],
        hint='read it in "script" or "env"' if is_over else "read the status of another stage, or that of the pipeline",
    )
