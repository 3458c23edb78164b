"""A stretch of a user's YAML taken out, and nothing else: not a comment, and no blank of another line."""

from __future__ import annotations

import re

from pipegen.diagnostics.model import Edit
from pipegen.source.text import SourceFile, Span

_DASH = re.compile(r"[ ]*-[ ]+")
_BLANK = re.compile(r"[ ]*")
_REST = re.compile(r"[ \t]*(?:[ \t](?P<comment>#[^\r\n]*))?(?P<end>\r\n|\n|\r|\Z)")
_OPENERS, _CLOSERS = ("[", "{"), ("]", "}")


def item_removed(span: Span, *, is_first: bool = False) -> Edit | None:
    """Return what takes the item at *span* out of its list; None where that takes a comment along, or all of the list.

    Of a list on one line, an item that *is_first* goes with the comma after it.
    """
    return _lines_removed(span, _DASH) or _between_commas(span, is_first=is_first)


def entry_removed(span: Span) -> Edit | None:
    """Return what takes an entry of a map out, *span* being its key and its value; None as for an item."""
    return _lines_removed(span, _BLANK) or _between_commas(span, is_first=False) or _between_commas(span, is_first=True)


def _lines_removed(span: Span, prefix: re.Pattern[str]) -> Edit | None:
    """Return the edit where *span* has its lines for itself; a comment at their end gets the line."""
    file, text = span.file, span.file.text
    start = file.line_starts[span.first.line - 1]
    rest = _REST.match(text, span.end)
    before = prefix.fullmatch(text, start, span.start)
    if rest is None or before is None or _has_comment(text[span.start : span.end]):
        return None
    indent = _BLANK.match(text, start, span.start)
    kept = f"{indent[0] if indent else ''}{rest['comment']}{rest['end']}" if rest["comment"] else ""
    return Edit(Span(file, start, rest.end()), kept)


def _between_commas(span: Span, *, is_first: bool) -> Edit | None:
    """Return the edit where *span* stands in brackets beside others: a comma goes along."""
    text = span.file.text
    before, after = _last_before(text, span.start), _first_after(text, span.end)
    if is_first and before >= 0 and text[after : after + 1] == ",":
        found = Span(span.file, span.start, _first_after(text, after + 1))
    elif not is_first and before >= 0 and text[before] == ",":
        found = Span(span.file, before, span.end)
    else:
        return None
    is_between = text[before] in (",", *_OPENERS) and text[after : after + 1] in (",", *_CLOSERS)
    is_plain = not _has_comment(found.text) and not text.startswith("#", found.end)
    return Edit(found) if is_between and is_plain else None


def _last_before(text: str, place: int) -> int:
    """Return where the last character before *place* stands that is no blank; -1 where there is none."""
    place -= 1
    while place >= 0 and text[place].isspace():
        place -= 1
    return place


def _first_after(text: str, place: int) -> int:
    """Return where the first character from *place* on stands that is no blank."""
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _has_comment(text: str) -> bool:
    """Return whether *text* may hold a comment: a number sign in quotes is taken for one too."""
    return re.search(r"(?:^|\s)#", text) is not None


def is_in(span: Span, file: SourceFile) -> bool:
    """Return whether *span* is of *file*: what others include is not edited for the sake of one."""
    return span.file is file or span.file == file
