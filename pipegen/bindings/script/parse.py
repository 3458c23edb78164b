"""A script that takes the shell's grammar to its parts, with a report of references that cannot stand where they do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from operator import attrgetter, itemgetter

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.cursor import UnterminatedError, has_references, near_namespace, references_in, written
from pipegen.bindings.script.evaluated import evaluated
from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.model import Body, Delimiter, Escaped, ParsedScript, PlacedReference, ScriptPart
from pipegen.bindings.script.passed_text import Spoken
from pipegen.bindings.script.programs import Program, programs
from pipegen.bindings.script.substitutions import is_unusual, report_substitutions
from pipegen.bindings.script.syntax import HereDocument, Lexed, Obstacle, ReferenceKind, ScriptReference
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

_OBSTACLES = {
    Obstacle.DELIMITER: (
        "the shell expands nothing in the delimiter of a here-document",
        "write a plain word as the delimiter",
    ),
    Obstacle.PATTERN: (
        "a pattern inside a here-document cannot be quoted",
        "set a variable to the whole expansion in front of the here-document, and use that",
    ),
    Obstacle.TICKED_DOCUMENT: (
        "a quoted here-document inside backticks cannot be rewritten",
        "write $( … ) in place of the backticks",
    ),
    Obstacle.TICKED_ESCAPE: (
        "backticks take the backslash away that would escape it",
        "write $( … ) in place of the backticks",
    ),
    Obstacle.ODD_DELIMITER: (
        "a here-document can hold a reference only when its delimiter can stand without quotes",
        "name the delimiter with letters and digits alone",
    ),
}


def parse_lexed(source: Scalar, span: Span, stages: Collection[str], report: Report, *, is_bash: bool) -> ParsedScript:
    """Return what the script *source* says, which stands at *span*."""
    if not (has_references(source.text) or is_unusual(source.text)):
        return ParsedScript((source.text,), span)
    lexed, lost = lex(source.text, stages)
    report_substitutions(lexed, source, stages, report, is_bash=is_bash)
    _report_near_misses(lexed, stages, source, report)
    _report_obstacles(lexed, source, report)
    if lost is not None:
        _report_lost(lost, stages, source, report)
    return ParsedScript(tuple(_parts(lexed, source)), span)


def _parts(lexed: Lexed, source: Scalar) -> list[ScriptPart]:
    """Return the parts, in order: what was found, and the text between."""
    kept = [found for found in lexed.found if found.kind is not ReferenceKind.SUGGESTION]
    unquoted = {
        id(found.document): found.document for found in kept if found.document and found.kind is ReferenceKind.REFERENCE
    }
    documents = sorted(unquoted.values(), key=lambda document: document.start)
    pieces: list[tuple[int, int, ScriptPart]] = [
        (found.start, found.end, _part(found, source, unquoted)) for found in kept
    ]
    for one in documents:
        written = source.text[one.delimiter_start : one.delimiter_end]
        pieces.append((one.delimiter_start, one.delimiter_end, Delimiter(written, one.plain)))
    parts: list[ScriptPart] = []
    at = 0
    for start, end, part in sorted(pieces, key=itemgetter(0, 1)):
        parts += _between(at, start, documents, source)
        parts.append(part)
        at = end
    return [*parts, *_between(at, len(source.text), documents, source)]


def _part(found: ScriptReference, source: Scalar, unquoted: Collection[int]) -> ScriptPart:
    if found.kind is ReferenceKind.ESCAPED:
        text = source.text[found.start + 1 : found.end]
        return text if found.document and id(found.document) not in unquoted else Escaped(text, found.context)
    return PlacedReference(_reference(found, source), found.context)


def _reference(found: ScriptReference, source: Scalar) -> Reference:
    namespace, combinations, name, default = found.match.group("namespace", "combinations", "name", "default")
    return Reference(namespace, name, default, source.part(found.start, found.end), combinations=combinations)


def _between(start: int, end: int, documents: Sequence[HereDocument], source: Scalar) -> list[str | Body]:
    """Return the text of a stretch that nothing was found in: what is in one of *documents* apart from the rest."""
    parts: list[str | Body] = []
    for at in range(bisect_right(documents, start, key=attrgetter("end")), len(documents)):
        one = documents[at]
        if one.start >= end:
            break
        if one.start < one.end:
            parts += [source.text[start : one.start], Body(source.text[max(start, one.start) : min(end, one.end)])]
            start = min(end, one.end)
    parts.append(source.text[start:end])
    return [part for part in parts if (part.text if isinstance(part, Body) else part)]


def _report_near_misses(lexed: Lexed, stages: Collection[str], source: Scalar, report: Report) -> None:
    for found in lexed.found:
        if found.kind is ReferenceKind.SUGGESTION:
            namespace = found.match["namespace"]
            meant = near_namespace(namespace, stages)
            report.add(
                codes.POSSIBLE_TYPO,
                f'"{written(found.match)}" is left to the shell: there is no stage "{namespace}"',
                at=source.part(found.start, found.end),
                label="no stage of this name",
                hint=f'write "${{{meant}.{found.match["name"]}}}" if that is meant',
            )


def _report_obstacles(lexed: Lexed, source: Scalar, report: Report) -> None:
    spoken = Spoken(lexed)
    first: dict[ScriptReference, Program] = {}
    for program in programs(lexed, spoken, source.text):
        first.setdefault(program.found, program)
    for program in first.values():
        _report_program(program, source, report)
    for found in dict.fromkeys(evaluated(lexed, spoken)):
        report.add(
            codes.EVALUATED_REFERENCE,
            f'"{written(found.match)}" stands where the shell evaluates what it reads',
            at=source.part(found.start, found.end),
            label="bash would run commands that the value holds",
            hint=f"set a variable and see that it is a number: n={written(found.match)}; "
            "case $n in '' | *[!0-9]*) exit 1 ;; esac",
        )
    for found in lexed.found:
        if found.obstacle in _OBSTACLES and found.kind is not ReferenceKind.SUGGESTION:
            why, hint = _OBSTACLES[found.obstacle]
            report.add(
                codes.UNQUOTABLE_REFERENCE,
                f'"{written(found.match)}" cannot stand here: {why}',
                at=source.part(found.start, found.end),
                hint=hint,
            )


def _report_program(program: Program, source: Scalar, report: Report) -> None:
    call, caller, reference = program.call, program.caller, written(program.found.match)
    hint = call.interpreter.hint.format(reference=reference, name=call.name)
    if call.reads_input and call.interpreter.switches:
        hint = f'hand it over as an argument: {call.name} -s -- {reference}, and read "$1"'
    report.add(
        codes.REFERENCE_IN_PROGRAM,
        f'"{reference}" would become part of a program for {call.name}',
        at=source.part(program.found.start, program.found.end),
        label="the value would be read as code",
        also=[Label(source.part(caller.start, caller.end), f"{call.name} reads it")],
        hint=hint,
    )


def _report_lost(lost: UnterminatedError, stages: Collection[str], source: Scalar, report: Report) -> None:
    for match in references_in(source.text, lost.place, stages):
        report.add(
            codes.UNREADABLE_SHELL,
            f'pipegen cannot tell how the shell reads "{written(match)}"',
            at=source.part(match.start(), match.end()),
            also=[Label(source.part(lost.place, lost.place + 1), lost.what)],
            hint="mend what stands in front of it, or hand the value over in env",
        )
