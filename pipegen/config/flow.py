"""Values as YAML in flow style, for hints and documents."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping as Map
from collections.abc import Sequence as List

from pipegen.source.tree import Mapping, Scalar, ScalarKind, Sequence

# Text that needs no quotes in flow style.
_PART = r"(?:[\w./@=*$+-]|:(?=[\w/]))"
_PLAIN = re.compile(rf"[A-Za-z/$.]{_PART}*(?: {_PART}+)*|[0-9]+(?:\.[0-9]+){{2,}}|[0-9]+ [a-z]+")
_WORD = re.compile(r"[A-Za-z_][\w-]*")
_NO_TEXT = re.compile(r"true|false|yes|no|on|off|null|y|n|\.(?:inf|nan)|\.[0-9].*", re.IGNORECASE)


def flow(value: object) -> str:
    """Return *value*, plain data or nodes of a tree, as YAML on one line; numbers of a tree stay as written."""
    match value:
        case Scalar():
            return _text(value.text) if value.kind is ScalarKind.TEXT else value.text or "null"
        case str():
            return _text(value)
        case Mapping() | Map():
            pairs = value if isinstance(value, Map) else {entry.key.text: entry.value for entry in value.entries}
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in pairs.items()) + "}"
        case Sequence() | List():
            return "[" + ", ".join(map(flow, value)) + "]"
        case _:
            return json.dumps(value)


def written_key(key: object) -> str:
    """Return *key* as a key in block style; words such as `on` need no quotes there in YAML 1.2."""
    return key if isinstance(key, str) and _WORD.fullmatch(key) else flow(key)


def _text(text: str) -> str:
    if "\n" in text:
        return json.dumps(text, ensure_ascii=False)
    return text if _PLAIN.fullmatch(text) and not _NO_TEXT.fullmatch(text) else "'" + text.replace("'", "''") + "'"
