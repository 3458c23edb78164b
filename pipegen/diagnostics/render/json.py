"""Diagnostics as one JSON document, whose shape is a contract.

    {"version": 1,
     "diagnostics": [
       {"code": "PG301", "name": "unknown-stage", "severity": "error", "message": "…",
        "file": "pipegen.yaml", "span": SPAN, "label": "…",
        "labels": [{"file": "pipegen.yaml", "span": SPAN, "text": "…"}],
        "hint": "…",
        "fix": {"title": "…", "edits": [{"file": "pipegen.yaml", "span": SPAN, "text": "…"}]}}]}

`severity` is error, warning or info. `file`, `span`, `hint` and `fix` are null where there is none; `label` is
what the main place is labelled with, `labels` are the related places; an edit of a fix puts `text` where its SPAN is.
A SPAN is `{"start": POINT, "end": POINT}`, a POINT `{"line": 1, "column": 1, "offset": 0}`: lines and columns from 1,
offsets from 0, all in Unicode characters; the end is just past the last one. Keys may be added in the same version.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic, Edit, Fix, Label
from pipegen.source.text import Position, Span


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has no colours
    """Return *diagnostics* in their order, in ASCII, so that no text can steer a terminal or miss its encoding."""
    document = {"version": 1, "diagnostics": [_diagnostic(found) for found in diagnostics]}
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(found: Diagnostic) -> dict[str, object]:
    primary = found.primary
    return {
        "code": found.code.number,
        "name": found.code.name,
        "severity": found.severity.value,
        "message": found.message,
        "file": primary.span.file.path if primary else None,
        "span": _span(primary.span) if primary else None,
        "label": primary.text if primary else "",
        "labels": [_label(label) for label in found.related],
        "hint": found.hint,
        "fix": _fix(found.fix) if found.fix else None,
    }


def _fix(fix: Fix) -> dict[str, object]:
    return {"title": fix.title, "edits": [_label(edit) for edit in fix.edits]}


def _label(label: Label | Edit) -> dict[str, object]:
    return {"file": label.span.file.path, "span": _span(label.span), "text": label.text}


def _span(span: Span) -> dict[str, object]:
    return {"start": _point(span.first, span.start), "end": _point(span.last, span.end)}


def _point(position: Position, offset: int) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": offset}
