"""Comments that suppress diagnostics: `# pipegen: ignore[PG703]`.

A comment applies to the value, stage or pipeline that begins on its line, or on the next line if it is on a line of its
own. At the top of the file, it applies to the whole file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.policy import Ignore
from pipegen.diagnostics.report import Report, suggestion
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Mapping, Node
from pipegen.source.tree import Sequence as TreeSequence

# Files without it have no such comments.
MARK = "pipegen:"

_WORD = "ignore"
_COMMENT = rf"(?:^|(?<=[ \t]))#[ \t]*{MARK}[ \t]*(?P<word>\w+)(?P<rest>[^\r\n]*)"
_CODES = r"[ \t]*\[(?P<codes>[^\]\r\n]*)\]"
_CODE = r"[^\s,]+"
# The text of a line on which no value begins: blanks, comments, the dashes of lists and of documents.
_NOTHING = r"[ \t\ufeff-]*(?:#.*)?|%.*"
_EXAMPLE = '"# pipegen: ignore[PG703]"'


def read_ignores(file: SourceFile, tree: Node, texts: Sequence[Span], report: Report) -> None:
    """Add the ignores in the comments of *file* to *report*; *texts* are its scalars, which have no comments."""
    starts = [text.start for text in texts]
    ends: dict[int, int] | None = None
    for comment in re.finditer(_COMMENT, file.text, re.MULTILINE):
        at = bisect_right(starts, comment.start()) - 1
        if (at >= 0 and comment.start() < texts[at].end) or _is_commented_out(comment.start(), file):
            continue
        if comment["word"] != _WORD:
            _check_word(comment, file, report)
            continue
        ends = _ends(file, tree) if ends is None else ends
        start, end = _covered(comment.start(), file, ends)
        for code, span in _codes(comment, file, report):
            report.ignore(Ignore(code, span, start, end))


def _is_commented_out(comment: int, file: SourceFile) -> bool:
    """Return whether the comment at *comment* is inside another comment on a line without values."""
    begin = file.line_starts[file.position(comment).line - 1]
    return "#" in file.text[begin:comment] and re.compile(_NOTHING).fullmatch(file.text, begin, comment) is not None


def _check_word(comment: re.Match[str], file: SourceFile, report: Report) -> None:
    """Report a word that looks like a typo of "ignore"; other words are for readers."""
    if suggestion(comment["word"], [_WORD]):
        report.add(
            codes.MALFORMED_IGNORE,
            f'"{comment["word"]}" is not an instruction to pipegen',
            at=Span(file, *comment.span("word")),
            hint=f"write {_EXAMPLE}, with the codes to ignore",
        )


def _codes(comment: re.Match[str], file: SourceFile, report: Report) -> Iterator[tuple[Code, Span]]:
    """Yield the codes that *comment* names, each with its span; codes that cannot be ignored are reported."""
    code_list = re.compile(_CODES).match(file.text, comment.start("rest"), comment.end())
    if code_list is None or not code_list["codes"].strip():
        report.add(
            codes.MALFORMED_IGNORE,
            "the comment names no codes to ignore",
            at=Span(file, comment.start("word"), code_list.end() if code_list else comment.end("word")),
            hint=f"name them in brackets: {_EXAMPLE}",
        )
        return
    for word in re.compile(_CODE).finditer(file.text, *code_list.span("codes")):
        span = Span(file, *word.span())
        code = known_code(span.text, span, report)
        if code is not None and code.is_fixed:
            report.add(
                codes.FIXED_SEVERITY,
                f"{code.number} is an error, which cannot be ignored",
                at=span,
                hint=f'remove it from the comment; "pipegen explain {code.number}" shows how to fix the error',
            )
        elif code is not None:
            yield code, span


def known_code(word: str, span: Span, report: Report) -> Code | None:
    """Return the code with the number or name *word*; report an unknown *word* at *span*."""
    code = codes.find(word)
    if code is None:
        suggested = suggestion(word, [known for code in codes.table() for known in (code.number, code.name)])
        report.add(
            codes.UNKNOWN_CODE,
            f'there is no code "{word}"',
            at=span,
            hint=f'write "{suggested}"' if suggested else "remove it",
        )
    return code


def report_unused(report: Report, file: SourceFile, is_reported: Callable[[Code], bool]) -> None:
    """Report the comments in *file* that ignore nothing, for codes that are reported if found (*is_reported*).

    Comments in included files are skipped: another config may need them.
    """
    for ignore in report.unused():
        if ignore.span.file == file and is_reported(ignore.code):
            report.add(
                codes.UNUSED_IGNORE,
                f"{ignore.code.number} is ignored here, but not reported",
                at=ignore.span,
                hint="remove it from the comment, or remove the comment",
            )


def _covered(comment: int, file: SourceFile, ends: dict[int, int]) -> tuple[int, int]:
    """Return the range of offsets that the comment at *comment* applies to."""
    number = file.position(comment).line
    begin = file.line_starts[number - 1]
    if re.compile(_NOTHING).fullmatch(file.text, begin, comment):
        if all(re.fullmatch(_NOTHING, file.line(above)) for above in range(1, number)):
            return 0, len(file.text) + 1
        lines = range(number + 1, len(file.line_starts) + 1)
        number = next((below for below in lines if not re.fullmatch(_NOTHING, file.line(below))), number)
    begin = file.line_starts[number - 1]
    return begin, max(begin + len(file.line(number)) + 1, ends.get(number, 0))


def _ends(file: SourceFile, tree: Node) -> dict[int, int]:
    """Return the end of the longest value that begins on each line, by line number."""
    ends: dict[int, int] = {}
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        for start, value in _parts(node):
            line = file.position(start).line
            # The value of an alias is elsewhere, above.
            if value.span.start >= start:
                ends[line] = max(ends.get(line, 0), value.span.end)
                open_nodes.append(value)
    return ends


def _parts(node: Node) -> Iterator[tuple[int, Node]]:
    """Yield the start of each entry or item of *node*, and its value; entries merged from elsewhere are skipped."""
    if isinstance(node, TreeSequence):
        yield from ((max(node.span.start, item.span.start), item) for item in node.items)
    elif isinstance(node, Mapping):
        keys = ((entry.key.span.start, entry.value) for entry in node.entries)
        yield from ((start, value) for start, value in keys if node.span.start <= start < node.span.end)
