"""A text that is compared by a pattern."""

import re


class Like:
    """Equals every text that *pattern* matches as a whole."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._pattern.fullmatch(other) is not None

    def __hash__(self) -> int:
        return hash(self._pattern)

    def __repr__(self) -> str:
        return f"Like({self._pattern.pattern!r})"
