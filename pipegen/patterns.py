"""Regular expressions that few runs need: to compile all of the house took a twelfth of a short call.

What is written with `re.compile` is needed by nearly every run, or looked for so often that each call of it counts.
"""

import re
from typing import AnyStr, cast


def rare_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what can be used as the pattern that `re.compile` makes, and is compiled when it first is."""
    return cast("re.Pattern[AnyStr]", _Rare(text, flags))


class _Rare:
    """What stands for a pattern: it has that one's attributes, each from when it was first asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        found: object = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
