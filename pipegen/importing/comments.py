"""Comments of the source that are about a value: the lines above it, and the rest of its line."""

from __future__ import annotations

import re
from functools import lru_cache

from pipegen.emit.header import read_header
from pipegen.source.tree import Scalar

_COMMENT = re.compile(r"\s*# ?(.*)")
_BESIDE = re.compile(r"[ \t]+# ?(.*)")


def comments_of(node: Scalar) -> tuple[str, str]:
    """Return the comment above the line of *node*, and the one at its end; "" for none.

    Comments of a generated file are not about its config.
    """
    file, line = node.span.file, node.span.first.line
    if _is_generated(file.text):
        return "", ""
    above: list[str] = []
    while line > 1 and (match := _COMMENT.fullmatch(file.line(line - 1))):
        above.append(match[1].rstrip())
        line -= 1
    end = node.span.end
    rest = file.text[end : file.text.find("\n", end) if "\n" in file.text[end:] else len(file.text)]
    beside = _BESIDE.fullmatch(rest.rstrip("\r"))
    is_block = file.text[node.span.start : node.span.start + 1] in ("|", ">")
    return "\n".join(reversed(above)), beside[1].rstrip() if beside and not is_block else ""


@lru_cache(maxsize=16)
def _is_generated(text: str) -> bool:
    """Return whether pipegen generated *text*, and nobody changed it."""
    header = read_header(text)
    return header is not None and header.is_untouched
