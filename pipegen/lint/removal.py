"""Removal of an item or entry from a user's YAML that keeps all comments and other lines."""

from __future__ import annotations

import re

from pipegen.diagnostics.model import Edit
from pipegen.source.text import SourceFile, Span

_DASH = re.compile(r"[ ]*-[ ]+")
_BLANK = re.compile(r"[ ]*")
_REST = re.compile(r"[ \t]*(?:[ \t](?P<comment>#[^\r\n]*))?(?P<end>\r\n|\n|\r|\Z)")
_OPENERS, _CLOSERS = ("[", "{"), ("]", "}")


def remove_item(span: Span, *, is_first: bool = False) -> Edit | None:
    """Return the edit that removes the item at *span*; None if it would remove a comment, or the whole list.

    In a list on one line, an item that *is_first* is removed with the comma after it, others with the comma before.
    """
    return _remove_lines(span, _DASH) or _remove_between_commas(span, is_first=is_first)


def remove_entry(span: Span) -> Edit | None:
    """Return the edit that removes a map's entry, key and value at *span*; None as for an item."""
    return (
        _remove_lines(span, _BLANK)
        or _remove_between_commas(span, is_first=False)
        or _remove_between_commas(span, is_first=True)
    )


def _remove_lines(span: Span, prefix: re.Pattern[str]) -> Edit | None:
    """Return the edit if *span* fills whole lines; a comment at their end is kept."""
    file, text = span.file, span.file.text
    start = file.line_starts[span.first.line - 1]
    trailing = _REST.match(text, span.end)
    lead = prefix.fullmatch(text, start, span.start)
    if trailing is None or lead is None or _has_comment(text[span.start : span.end]):
        return None
    indent = _BLANK.match(text, start, span.start)
    replacement = f"{indent[0] if indent else ''}{trailing['comment']}{trailing['end']}" if trailing["comment"] else ""
    return Edit(Span(file, start, trailing.end()), replacement)


def _remove_between_commas(span: Span, *, is_first: bool) -> Edit | None:
    """Return the edit if *span* is in brackets with others: a comma is removed too."""
    text = span.file.text
    previous, next_index = _previous_index(text, span.start), _next_index(text, span.end)
    if is_first and previous >= 0 and text[next_index : next_index + 1] == ",":
        removed = Span(span.file, span.start, _next_index(text, next_index + 1))
    elif not is_first and previous >= 0 and text[previous] == ",":
        removed = Span(span.file, previous, span.end)
    else:
        return None
    is_between = text[previous] in (",", *_OPENERS) and text[next_index : next_index + 1] in (",", *_CLOSERS)
    is_plain = not _has_comment(removed.text) and not text.startswith("#", removed.end)
    return Edit(removed) if is_between and is_plain else None


def _previous_index(text: str, index: int) -> int:
    """Return the index of the last character before *index* that is not a blank; -1 if there is none."""
    index -= 1
    while index >= 0 and text[index].isspace():
        index -= 1
    return index


def _next_index(text: str, index: int) -> int:
    """Return the index of the first character from *index* on that is not a blank."""
    while index < len(text) and text[index].isspace():
        index += 1
    return index


def _has_comment(text: str) -> bool:
    """Return whether *text* may contain a comment; a number sign in quotes counts too."""
    return re.search(r"(?:^|\s)#", text) is not None


def is_in_file(span: Span, file: SourceFile) -> bool:
    """Return whether *span* is in *file*: files that others include are not edited."""
    return span.file is file or span.file == file
