"""Names that an engine accepts, made from any text: a changed name ends with a digest of the original.

Without the digest, two locks or environments whose names differ only in forbidden characters would become one.
"""

from __future__ import annotations

import re

from pipegen.bindings.expression import Text
from pipegen.digests import digest_of
from pipegen.structs import replace

_LONGEST = 255
_DIGITS = 8
_RUNS = "runs of "
_LIKE_RUNS = f"(lock )*{_RUNS}"


def allowed_name(name: str, not_allowed: re.Pattern[str], edges: str, longest: int = _LONGEST) -> str:
    """Return *name* with dashes for characters that are *not_allowed*, without *edges* at its ends.

    A name with more than *longest* characters is cut.
    """
    cleaned = not_allowed.sub("-", name).strip(edges)
    if cleaned == name and len(name) <= longest:
        return name
    return "-".join(filter(None, (cleaned[: longest - _DIGITS - 1], _digest(name))))


def allowed_text(text: Text, not_allowed: re.Pattern[str], edges: str) -> Text:
    """Return *text*, a name, with dashes for fixed characters that are *not_allowed*, without *edges* at its ends."""
    parts = [not_allowed.sub("-", part) if isinstance(part, str) else part for part in text.parts]
    if isinstance(first := parts[0], str):
        parts[0] = first.lstrip(edges)
    if isinstance(last := parts[-1], str):
        parts[-1] = last.rstrip(edges)
    if parts == list(text.parts):
        return text
    # Parts that are known only at run time keep names distinct by themselves.
    digest = _digest("$".join([part for part in text.parts if isinstance(part, str)]))
    return replace(text, parts=(*parts, f"-{digest}"))


def group_resource(group: str) -> str:
    """Return the resource that runs of a concurrency *group* hold: no stage uses it, or it would wait for itself."""
    return _RUNS + group


def lock_resource(lock: str) -> str:
    """Return the resource that stages with *lock* hold: its name, unless it looks like that of a group of runs."""
    return f"lock {lock}" if re.match(_LIKE_RUNS, lock) else lock


def _digest(name: str) -> str:
    return digest_of(name, _DIGITS)
