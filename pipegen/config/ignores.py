"""Comments that keep codes from being told: `# pipegen: ignore[PG703]`.

A comment is about what begins on its line, or on the next one where it stands alone: a value, a stage, a pipeline, with
all that is in it. Above everything else it is about the whole file.
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

# A text without it holds no such comment.
MARK = "pipegen:"

_WORD = "ignore"
_COMMENT = re.compile(rf"(?:^|(?<=[ \t]))#[ \t]*{MARK}[ \t]*(?P<word>\w+)(?P<rest>[^\r\n]*)", re.MULTILINE)
_CODES = re.compile(r"[ \t]*\[(?P<codes>[^\]\r\n]*)\]")
_CODE = re.compile(r"[^\s,]+")
# What stands on a line that nothing begins on: blanks, comments, the dashes of lists and of documents.
_NOTHING = re.compile(r"[ \t\ufeff-]*(?:#.*)?|%.*")
_EXAMPLE = '"# pipegen: ignore[PG703]"'


def read_ignores(file: SourceFile, tree: Node, texts: Sequence[Span], report: Report) -> None:
    """Give *report* what the comments of *file* ignore; *texts* are its scalars, in which no comment stands."""
    starts = [text.start for text in texts]
    ends: dict[int, int] | None = None
    for comment in _COMMENT.finditer(file.text):
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
    """Return whether the comment that begins at *comment* stands in another, on a line that holds nothing else."""
    begin = file.line_starts[file.position(comment).line - 1]
    return "#" in file.text[begin:comment] and _NOTHING.fullmatch(file.text, begin, comment) is not None


def _check_word(comment: re.Match[str], file: SourceFile, report: Report) -> None:
    """Report a word that looks like a slip; other words are for people."""
    if suggestion(comment["word"], [_WORD]):
        report.add(
            codes.MALFORMED_IGNORE,
            f'"{comment["word"]}" is nothing that a comment can ask for',
            at=Span(file, *comment.span("word")),
            hint=f"write {_EXAMPLE}, with the codes that are meant",
        )


def _codes(comment: re.Match[str], file: SourceFile, report: Report) -> Iterator[tuple[Code, Span]]:
    """Yield the codes that *comment* names, each with its place; what cannot be ignored is reported."""
    listed = _CODES.match(file.text, comment.start("rest"), comment.end())
    if listed is None or not listed["codes"].strip():
        report.add(
            codes.MALFORMED_IGNORE,
            "the comment does not say which codes to ignore",
            at=Span(file, comment.start("word"), listed.end() if listed else comment.end("word")),
            hint=f"name them in brackets: {_EXAMPLE}",
        )
        return
    for word in _CODE.finditer(file.text, *listed.span("codes")):
        span = Span(file, *word.span())
        code = known_code(span.text, span, report)
        if code is not None and code.is_fixed:
            report.add(
                codes.FIXED_SEVERITY,
                f"{code.number} is an error, which cannot be ignored",
                at=span,
                hint=f'remove it from the comment; "pipegen explain {code.number}" tells what to do instead',
            )
        elif code is not None:
            yield code, span


def known_code(word: str, span: Span, report: Report) -> Code | None:
    """Return the code whose number or name is the *word* at *span*; a word that is neither is reported."""
    code = codes.find(word)
    if code is None:
        near = suggestion(word, [known for code in codes.table() for known in (code.number, code.name)])
        report.add(
            codes.UNKNOWN_CODE,
            f'there is no code "{word}"',
            at=span,
            hint=f'write "{near}"' if near else "remove it",
        )
    return code


def report_unused(report: Report, file: SourceFile, is_told: Callable[[Code], bool]) -> None:
    """Report the comments in *file* that ignore nothing, for codes of which *is_told* says that they would be told.

    What a comment in an included file ignores may be told of another config.
    """
    for one in report.unused():
        if one.span.file == file and is_told(one.code):
            report.add(
                codes.UNUSED_IGNORE,
                f"{one.code.number} is ignored here, and nothing tells of it",
                at=one.span,
                hint="remove it from the comment, or the comment with it",
            )


def _covered(comment: int, file: SourceFile, ends: dict[int, int]) -> tuple[int, int]:
    """Return from where to where the comment that begins at *comment* holds."""
    number = file.position(comment).line
    begin = file.line_starts[number - 1]
    if _NOTHING.fullmatch(file.text, begin, comment):
        if all(_NOTHING.fullmatch(file.line(above)) for above in range(1, number)):
            return 0, len(file.text) + 1
        lines = range(number + 1, len(file.line_starts) + 1)
        number = next((below for below in lines if not _NOTHING.fullmatch(file.line(below))), number)
    begin = file.line_starts[number - 1]
    return begin, max(begin + len(file.line(number)) + 1, ends.get(number, 0))


def _ends(file: SourceFile, tree: Node) -> dict[int, int]:
    """Return for each line where the last of that ends which begins on it."""
    ends: dict[int, int] = {}
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        for start, value in _parts(node):
            line = file.position(start).line
            # What an alias brings stands elsewhere, above.
            if value.span.start >= start:
                ends[line] = max(ends.get(line, 0), value.span.end)
                open_nodes.append(value)
    return ends


def _parts(node: Node) -> Iterator[tuple[int, Node]]:
    """Yield where the entries or items of *node* begin, and their values; not what is merged from elsewhere."""
    if isinstance(node, TreeSequence):
        yield from ((max(node.span.start, item.span.start), item) for item in node.items)
    elif isinstance(node, Mapping):
        keys = ((entry.key.span.start, entry.value) for entry in node.entries)
        yield from ((start, value) for start, value in keys if node.span.start <= start < node.span.end)
