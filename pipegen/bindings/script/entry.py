"""A user's shell script to its parts; most need no grammar of the shell, which is loaded for the first that does."""

from __future__ import annotations

from collections.abc import Collection

from pipegen.bindings.script.model import ParsedScript
from pipegen.bindings.script.plain import plain_parts
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar


def parse_script(source: Scalar, stages: Collection[str], report: Report, *, is_bash: bool = False) -> ParsedScript:
    """Return what the script *source* says, which a shell of its own, sh or bash, could run.

    References that cannot stand where they stand are reported, and expansions that the shell refuses.
    """
    text, first = source.text, source.offset
    span = source.part(0, len(text)) if first is None else Span(source.span.file, first, first + len(text))
    if "${" not in text:
        return ParsedScript((text,) if text else (), span)
    parts = plain_parts(source, first, stages)
    if parts is not None:
        return ParsedScript(tuple(parts), span)
    from pipegen.bindings.script.parse import parse_lexed  # noqa: PLC0415 - see above

    return parse_lexed(source, span, stages, report, is_bash=is_bash)
