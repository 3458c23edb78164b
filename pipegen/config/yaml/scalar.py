"""The kind of a YAML scalar: text, a boolean, a number or null."""

from __future__ import annotations

import re

from pipegen.source.tree import ScalarKind

CORE_TAG = r"tag:yaml\.org,2002:(str|int|bool|float|null|map|seq)"

# The union of YAML 1.1 (PipelineLib) and 1.2 (most editors). Where a text is expected, its text is used as written.
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), ScalarKind.NULL),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), ScalarKind.BOOLEAN),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), ScalarKind.BOOLEAN),
}
_INTEGER = r"[-+]?(?:0b_*[01][01_]*|0o_*[0-7][0-7_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*)"
_NUMBER = (
    r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_FIGURES = frozenset("-+.0123456789")
# The first characters of plain scalars that may not be text; nearly all scalars begin with others.
NON_TEXT_STARTS = frozenset("~nNtTfFyYoO<") | _FIGURES
_TAGGED = {"int": ScalarKind.INTEGER, "bool": ScalarKind.BOOLEAN, "float": ScalarKind.NUMBER, "null": ScalarKind.NULL}
_LONGEST_NUMBER = 400  # digits; Python refuses to read integers over 4,300


def plain_kind(text: str) -> ScalarKind:
    """Return the kind of *text* without quotes and tag; `<<`, the merge key, is NULL."""
    if text[:1] not in _FIGURES:
        return ScalarKind.NULL if text == "<<" else _WORDS.get(text, ScalarKind.TEXT)
    if len(text) > _LONGEST_NUMBER:
        return ScalarKind.TEXT
    if re.fullmatch(_INTEGER, text):
        return ScalarKind.INTEGER
    return ScalarKind.NUMBER if re.fullmatch(_NUMBER, text) else ScalarKind.TEXT


def tagged_kind(text: str, tag: str) -> ScalarKind:
    """Return the kind of *text* with the tag *tag*: TEXT if it does not match the tag."""
    kind = _TAGGED.get(tag.rpartition(":")[2])
    if kind is ScalarKind.NUMBER:
        return kind if len(text) <= _LONGEST_NUMBER and re.fullmatch(_NUMBER, text) else ScalarKind.TEXT
    plain = ScalarKind.TEXT if text == "<<" else plain_kind(text)
    return plain if plain is kind else ScalarKind.TEXT
