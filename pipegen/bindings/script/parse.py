"""Parses a script with the shell's grammar; reports references that cannot be quoted where they are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.called.evaluated import evaluated
from pipegen.bindings.script.called.interpreters import NAMED
from pipegen.bindings.script.called.printed_text import PrintedText
from pipegen.bindings.script.called.programs import Program, programs
from pipegen.bindings.script.cursor import UnterminatedError, has_references, references_in, suggest_namespace, written
from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.model import Body, Delimiter, Escaped, ParsedScript, PlacedReference, ScriptPart
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
        "a pattern in a here-document cannot be quoted",
        "set a variable to the whole expansion before the here-document, and use the variable",
    ),
    Obstacle.BACKTICK_DOCUMENT: (
        "a quoted here-document inside backticks cannot be rewritten",
        "write $( … ) instead of backticks",
    ),
    Obstacle.BACKTICK_ESCAPE: (
        "backticks remove the backslash that would escape it",
        "write $( … ) instead of backticks",
    ),
    Obstacle.ODD_DELIMITER: (
        "a here-document can contain a reference only if its delimiter needs no quotes",
        "use only letters and digits in the delimiter",
    ),
}


def parse_lexed(source: Scalar, span: Span, stages: Collection[str], report: Report, *, is_bash: bool) -> ParsedScript:
    """Return the parts of the script *source* at *span*."""
    reads_values = has_references(source.text)
    if not (reads_values or is_unusual(source.text)):
        return ParsedScript((source.text,), span)
    lexed, error = lex(source.text, stages) if reads_values else _lexed_without_references(source.text)
    report_substitutions(lexed, source, stages, report, is_bash=is_bash)
    _report_typos(lexed, stages, source, report)
    _report_obstacles(lexed, source, report)
    if error is not None:
        _report_unreadable(error, stages, source, report)
    return ParsedScript(tuple(_parts(lexed, source)), span)


@lru_cache(maxsize=1000)
def _lexed_without_references(text: str) -> tuple[Lexed, UnterminatedError | None]:
    """Return the tokens of a script that is the same for all stages: stages that share a template have it."""
    return lex(text, ())


def _parts(lexed: Lexed, source: Scalar) -> list[ScriptPart]:
    """Return the parts, in order: references, delimiters, and the text between."""
    references = [reference for reference in lexed.references if reference.kind is not ReferenceKind.SUGGESTION]
    unquoted_documents = {
        id(reference.document): reference.document
        for reference in references
        if reference.document and reference.kind is ReferenceKind.REFERENCE
    }
    documents = sorted(unquoted_documents.values(), key=lambda document: document.start)
    pieces: list[tuple[int, int, ScriptPart]] = [
        (reference.start, reference.end, _part(reference, source, unquoted_documents)) for reference in references
    ]
    for document in documents:
        written = source.text[document.delimiter_start : document.delimiter_end]
        pieces.append((document.delimiter_start, document.delimiter_end, Delimiter(written, document.plain)))
    parts: list[ScriptPart] = []
    end_of_previous = 0
    for start, end, part in sorted(pieces, key=itemgetter(0, 1)):
        parts += _between(end_of_previous, start, documents, source)
        parts.append(part)
        end_of_previous = end
    return [*parts, *_between(end_of_previous, len(source.text), documents, source)]


def _part(reference: ScriptReference, source: Scalar, unquoted_documents: Collection[int]) -> ScriptPart:
    if reference.kind is ReferenceKind.ESCAPED:
        text = source.text[reference.start + 1 : reference.end]
        return (
            text
            if reference.document and id(reference.document) not in unquoted_documents
            else Escaped(text, reference.context)
        )
    return PlacedReference(_reference(reference, source), reference.context)


def _reference(reference: ScriptReference, source: Scalar) -> Reference:
    namespace, combinations, name, default = reference.match.group("namespace", "combinations", "name", "default")
    return Reference(namespace, name, default, source.part(reference.start, reference.end), combinations=combinations)


def _between(start: int, end: int, documents: Sequence[HereDocument], source: Scalar) -> list[str | Body]:
    """Return the text from *start* to *end*, split into the bodies of *documents* and other text."""
    parts: list[str | Body] = []
    for index in range(bisect_right(documents, start, key=attrgetter("end")), len(documents)):
        document = documents[index]
        if document.start >= end:
            break
        if document.start < document.end:
            parts += [
                source.text[start : document.start],
                Body(source.text[max(start, document.start) : min(end, document.end)]),
            ]
            start = min(end, document.end)
    parts.append(source.text[start:end])
    return [part for part in parts if (part.text if isinstance(part, Body) else part)]


def _report_typos(lexed: Lexed, stages: Collection[str], source: Scalar, report: Report) -> None:
    for reference in lexed.references:
        if reference.kind is ReferenceKind.SUGGESTION:
            namespace = reference.match["namespace"]
            suggested = suggest_namespace(namespace, stages)
            report.add(
                codes.POSSIBLE_TYPO,
                f'"{written(reference.match)}" is expanded by the shell: there is no stage "{namespace}"',
                at=source.part(reference.start, reference.end),
                label="no such stage",
                hint=f'if you mean the stage, write "${{{suggested}.{reference.match["name"]}}}"',
            )


def _report_obstacles(lexed: Lexed, source: Scalar, report: Report) -> None:
    printed_text = PrintedText(lexed)
    first: dict[ScriptReference | int, Program] = {}
    for program in programs(lexed, printed_text, source.text):
        # The name of a command is one mistake, however many values follow it.
        is_name = program.call.interpreter is NAMED
        first.setdefault(program.caller.start if is_name else program.reference, program)
    for program in first.values():
        _report_program(program, source, report)
    for reference in dict.fromkeys(evaluated(lexed, printed_text)):
        report.add(
            codes.EVALUATED_REFERENCE,
            f'"{written(reference.match)}" is used where the shell evaluates text',
            at=source.part(reference.start, reference.end),
            label="bash would run commands in the value",
            hint=f"set a variable and check that it is a number: n={written(reference.match)}; "
            "case $n in '' | *[!0-9]*) exit 1 ;; esac",
        )
    for reference in lexed.references:
        if reference.obstacle in _OBSTACLES and reference.kind is not ReferenceKind.SUGGESTION:
            reason, hint = _OBSTACLES[reference.obstacle]
            report.add(
                codes.UNQUOTABLE_REFERENCE,
                f'"{written(reference.match)}" cannot be used here: {reason}',
                at=source.part(reference.start, reference.end),
                hint=hint,
            )


def _report_program(program: Program, source: Scalar, report: Report) -> None:
    call, caller, shown = program.call, program.caller, written(program.reference.match)
    hint = call.interpreter.hint.format(reference=shown, name=call.name)
    if call.reads_input and call.interpreter.switches:
        hint = f'pass it as an argument: {call.name} -s -- {shown}, and read "$1"'
    report.add(
        codes.REFERENCE_IN_PROGRAM,
        f'"{shown}" would become part of a program for {call.name}',
        at=source.part(program.reference.start, program.reference.end),
        label="the value would be read as code",
        related=[Label(source.part(caller.start, caller.end), f"{call.name} reads it")],
        hint=hint,
    )


def _report_unreadable(error: UnterminatedError, stages: Collection[str], source: Scalar, report: Report) -> None:
    for match in references_in(source.text, error.offset, stages):
        report.add(
            codes.UNREADABLE_SHELL,
            f'pipegen cannot tell how the shell reads "{written(match)}"',
            at=source.part(match.start(), match.end()),
            related=[Label(source.part(error.offset, error.offset + 1), error.reason)],
            hint='fix the syntax before it, or pass the value in "env"',
        )
