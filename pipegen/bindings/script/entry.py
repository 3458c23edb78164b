"""A user's shell script to its parts; most need no grammar of the shell, which is loaded for the first that does."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.model import Context, Placed, Script, ScriptPart
from pipegen.bindings.script.plain import plain_references
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar


def parse_script(source: Scalar, stages: Collection[str], report: Report) -> Script:
    """Return what the script *source* says, which a shell of its own could run.

    References that cannot stand where they stand are reported.
    """
    text = source.text
    span = source.part(0, len(text))
    plain = plain_references(text, stages) if "${" in text else []
    if plain is not None:
        return Script(tuple(_plain_parts(plain, source)), span)
    from pipegen.bindings.script.parse import parse_lexed  # noqa: PLC0415 - see above

    return parse_lexed(source, span, stages, report)


def _plain_parts(found: Sequence[tuple[re.Match[str], Context]], source: Scalar) -> list[ScriptPart]:
    """Return the references that were *found* without a lexer, and the text between."""
    parts: list[ScriptPart] = []
    at = 0
    file, first = source.span.file, source.offset if found else None
    for match, context in found:
        start, end = match.span()
        if at < start:
            parts.append(source.text[at:start])
        at = end
        namespace, name, default = match.groups()
        span = source.part(start, end) if first is None else Span(file, first + start, first + end)
        parts.append(Placed(Reference(namespace, name, default, span), context))
    if at < len(source.text):
        parts.append(source.text[at:])
    return parts
