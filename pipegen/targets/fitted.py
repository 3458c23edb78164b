"""Names that an engine takes, made of any text: what had to change ends with a digest of what it was.

Without that, two locks or environments whose names differ only in what the engine refuses would become one.
"""

from __future__ import annotations

import re

from pipegen.bindings.expression import Text
from pipegen.digests import digest_of
from pipegen.structs import replace

_LONGEST = 255
_DIGITS = 8


def fitted(name: str, not_allowed: re.Pattern[str], edges: str = "") -> str:
    """Return *name* with dashes for what is *not_allowed*, and none of the *edges* around it."""
    plain = not_allowed.sub("-", name)
    plain = plain.strip(edges) if edges else plain
    if plain == name and len(name) <= _LONGEST:
        return name
    return "-".join(filter(None, (plain[: _LONGEST - _DIGITS - 1], _digest(name))))


def fitted_text(text: Text, not_allowed: re.Pattern[str]) -> Text:
    """Return *text*, which names something, with dashes for what is *not_allowed* in what is known of it."""
    parts = tuple(not_allowed.sub("-", part) if isinstance(part, str) else part for part in text.parts)
    if parts == text.parts:
        return text
    # What is known only at run time tells two names apart by itself.
    digest = _digest("$".join([part for part in text.parts if isinstance(part, str)]))
    return replace(text, parts=(*parts, f"-{digest}"))


def _digest(name: str) -> str:
    return digest_of(name, _DIGITS)
