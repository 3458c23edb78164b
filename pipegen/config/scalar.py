"""What a YAML scalar is: text, a boolean, a number or null."""

from __future__ import annotations

import re

from pipegen.source.tree import Kind

CORE_TAG = re.compile(r"tag:yaml\.org,2002:(str|int|bool|float|null|map|seq)")

# YAML 1.1 and 1.2 together: PipelineLib reads 1.1, most editors 1.2. Where text is meant, text it stays.
_PATTERNS = {
    Kind.NULL: r"|~|null|Null|NULL",
    Kind.BOOLEAN: r"true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF",
    Kind.INTEGER: r"[-+]?(?:0b_*[01][01_]*|0o_*[0-7][0-7_]*|0x_*[0-9a-fA-F][0-9a-fA-F_]*|[0-9][0-9_]*)",
    Kind.NUMBER: (
        r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    ),
}
_KIND = re.compile("|".join(f"(?P<{kind.name}>{pattern})" for kind, pattern in _PATTERNS.items()))
# What a plain scalar that is no text may begin with; nearly all begin with something else.
TELLING = frozenset("~nNtTfFyYoO-+.0123456789<")
_TAGGED = {"int": Kind.INTEGER, "bool": Kind.BOOLEAN, "float": Kind.NUMBER, "null": Kind.NULL}
_LONGEST_NUMBER = 400  # digits; Python refuses to read integers over 4,300


def plain_kind(text: str) -> Kind:
    """Return what *text* is without quotes and tag; `<<`, the merge key, is NULL."""
    if text == "<<":
        return Kind.NULL
    found = _KIND.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
    return Kind[found.lastgroup] if found is not None and found.lastgroup is not None else Kind.TEXT


def tagged_kind(text: str, tag: str) -> Kind:
    """Return what *text* is that is said to be *tag*: text, where it does not look like it."""
    kind = _TAGGED.get(tag.rpartition(":")[2])
    if kind is None or len(text) > _LONGEST_NUMBER or not re.fullmatch(_PATTERNS[kind], text):
        return Kind.TEXT
    return kind
