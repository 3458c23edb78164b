"""What a YAML scalar is: text, a boolean, a number or null."""

from __future__ import annotations

import re

from pipegen.source.text import Span
from pipegen.source.tree import Kind, Scalar

CORE_TAG = re.compile(r"tag:yaml\.org,2002:(str|int|bool|float|null|map|seq)")

# YAML 1.1 and 1.2 together: PipelineLib reads 1.1, most editors 1.2. Where text is meant, text it stays.
_BOOLEAN = re.compile(r"true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF")
_NULL = re.compile(r"|~|null|Null|NULL")
_INTEGER = re.compile(r"[-+]?(?:0b_*[01][01_]*|0o_*[0-7][0-7_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*)")
_NUMBER = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
# What a plain scalar that is no text may begin with; nearly all begin with something else.
_TELLING = frozenset("~nNtTfFyYoO-+.0123456789")
_KINDS = ((_NULL, Kind.NULL), (_BOOLEAN, Kind.BOOLEAN), (_INTEGER, Kind.INTEGER), (_NUMBER, Kind.NUMBER))
_TAGGED = {"int": Kind.INTEGER, "bool": Kind.BOOLEAN, "float": Kind.NUMBER, "null": Kind.NULL}
_LONGEST_NUMBER = 400  # digits; Python refuses to read integers over 4,300


def scalar(text: str, span: Span, style: str, tag: str | None) -> Scalar:
    """Return the scalar of *text*; *style* is its first character (`'`, `"`, `|`, `>`), "" for a plain one.

    A plain `<<` has the kind NULL: it is the merge key.
    """
    if text == "<<" and not style:
        return Scalar(text, span, Kind.NULL)
    return Scalar(text, span, _kind(text, style, tag), _start(text, span, style))


def _kind(text: str, style: str, tag: str | None) -> Kind:
    if tag is not None:
        kind = _TAGGED.get(tag.rpartition(":")[2], Kind.TEXT)
        pattern = next((pattern for pattern, found in _KINDS if found is kind), None)
        return kind if pattern is None or pattern.fullmatch(text) else Kind.TEXT
    if style or len(text) > _LONGEST_NUMBER or (text and text[0] not in _TELLING):
        return Kind.TEXT
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(text)), Kind.TEXT)


def _start(text: str, span: Span, style: str) -> int | None:
    """Return where *text* begins in the file, None when it is not there letter for letter."""
    closing = 1 if style in {"'", '"'} else 0
    start = span.end - closing - len(text)
    return start if span.file.text.startswith(text, start) and start >= span.start else None
