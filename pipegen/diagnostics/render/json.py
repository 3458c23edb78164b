"""Diagnostics as one JSON document with a stable format.

    {"version": 1,
     "diagnostics": [
       {"code": "PG301", "name": "unknown-stage", "severity": "error", "message": "…",
        "file": "pipegen.yaml", "span": SPAN, "label": "…",
        "labels": [{"file": "pipegen.yaml", "span": SPAN, "text": "…"}],
        "hint": "…",
        "fix": {"title": "…", "edits": [{"file": "pipegen.yaml", "span": SPAN, "text": "…"}]}}]}

`severity` is error, warning or info. `file`, `span`, `hint` and `fix` may be null; `label` is the text of the primary
label, `labels` are the related labels; an edit of a fix replaces its SPAN with `text`. A SPAN is
`{"start": POINT, "end": POINT}`, a POINT `{"line": 1, "column": 1, "offset": 0}`: lines and columns from 1, offsets
from 0, all in Unicode characters; the end is exclusive. Keys may be added in the same version.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pipegen.diagnostics.model import Diagnostic, Edit, Fix, Label
from pipegen.source.text import Position, Span


def render(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:  # noqa: ARG001 - JSON has no colours
    """Return *diagnostics* in order, in ASCII, which is safe in every terminal and encoding."""
    document = {"version": 1, "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics]}
    return json.dumps(document, indent=2) + "\n"


def _diagnostic(diagnostic: Diagnostic) -> dict[str, object]:
    primary = diagnostic.primary
    return {
        "code": diagnostic.code.number,
        "name": diagnostic.code.name,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "file": primary.span.file.path if primary else None,
        "span": _span(primary.span) if primary else None,
        "label": primary.text if primary else "",
        "labels": [_label(label) for label in diagnostic.related],
        "hint": diagnostic.hint,
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
    }


def _fix(fix: Fix) -> dict[str, object]:
    return {"title": fix.title, "edits": [_label(edit) for edit in fix.edits]}


def _label(label: Label | Edit) -> dict[str, object]:
    return {"file": label.span.file.path, "span": _span(label.span), "text": label.text}


def _span(span: Span) -> dict[str, object]:
    return {"start": _point(span.first, span.start), "end": _point(span.last, span.end)}


def _point(position: Position, offset: int) -> dict[str, int]:
    return {"line": position.line, "column": position.column, "offset": offset}
