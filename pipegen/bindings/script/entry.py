"""Parses a user's shell script; the shell grammar is imported only for scripts that need it."""

from __future__ import annotations

from collections.abc import Collection

from pipegen.bindings.script.model import ParsedScript
from pipegen.bindings.script.plain import plain_parts
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar


def parse_script(source: Scalar, stages: Collection[str], report: Report, *, is_bash: bool = False) -> ParsedScript:
    """Return the parts of the script *source*, which runs in its own shell, sh or bash.

    References that cannot be quoted where they are, and expansions that the shell refuses, are reported.
    """
    text, first = source.text, source.offset
    span = source.part(0, len(text)) if first is None else Span(source.span.file, first, first + len(text))
    if "${" not in text:
        return ParsedScript((text,) if text else (), span)
    parts = plain_parts(source, first, stages)
    if parts is not None:
        return ParsedScript(tuple(parts), span)
    from pipegen.bindings.script.parse import parse_lexed  # noqa: PLC0415 - most scripts need no grammar: 3 % of 10 stages

    return parse_lexed(source, span, stages, report, is_bash=is_bash)
