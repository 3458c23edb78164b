"""Texts of several combinations of a matrix as one text with variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pipegen.structs import Struct

Values = Mapping[str, str]

# A shell variable that is set to a value, and nothing else.
_ASSIGNMENT = r"[A-Za-z_][A-Za-z0-9_]*=\$\{?[a-z0-9_]+\}?"
# A variable whose value is in double quotes, in which others are expanded.
_EXPORT = r'export [A-Za-z_][A-Za-z0-9_]*="[^"\\`]*"'
# A path of pipegen, whose parts need no quotes.
_PATH = r'(?:[>"]|(?<=\s)|^)\.pipegen/[A-Za-z0-9_./${}-]*'
# One with a variable and without quotes.
_BARE_PATH = r"(?:(?<=[>\s])|^)\.pipegen/[A-Za-z0-9_./{}-]*\$[A-Za-z0-9_./${}-]*"


class TemplateVariable(Struct):
    """A variable in a text."""

    name: str


class Template:
    """Finds texts with variables that equal those of several jobs, by the *values* of the variables in each job.

    *rule* returns the text of one field, or None if the texts cannot be one.
    """

    def __init__(self, values: Sequence[Values], rule: Callable[[Sequence[str], Sequence[Values]], str | None]) -> None:
        self._values = values
        self._rule = rule
        self.has_failed = False

    def fail(self) -> None:
        """Remember that the jobs differ in more than the values."""
        self.has_failed = True

    def of(self, texts: Sequence[str]) -> str:
        """Return the text that equals each of *texts* with the values of its job."""
        if len(set(texts)) == 1:
            return texts[0]
        text = self._rule(texts, self._values)
        if text is None:
            self.fail()
            return ""
        return text

    def of_all(self, lists: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the texts at each index of *lists*, as in `of`."""
        if len(set(map(len, lists))) > 1:
            self.fail()
            return ()
        return tuple(self.of(texts) for texts in zip(*lists, strict=True))


def expanded_text(texts: Sequence[str], values: Sequence[Values]) -> str | None:
    """Return the text in which GitLab expands variables to *values*, with the result *texts*; None if there is none."""
    parts = text_parts(texts, values)
    return None if parts is None else _with_dollars(parts)


def text_parts(texts: Sequence[str], values: Sequence[Values]) -> tuple[str | TemplateVariable, ...] | None:
    """Return text and variables that with *values* in their place equal *texts*; None if there are none."""
    places = [0] * len(texts)
    parts: list[str | TemplateVariable] = []
    text = ""
    while any(place < len(whole) for place, whole in zip(places, texts, strict=True)):
        axis = _axis_at(texts, places, values)
        if axis is not None:
            places = [place + len(own[axis]) for place, own in zip(places, values, strict=True)]
            parts += [text, TemplateVariable(axis)] if text else [TemplateVariable(axis)]
            text = ""
            continue
        characters = {whole[place : place + 1] for place, whole in zip(places, texts, strict=True)}
        if len(characters) > 1:
            return None
        text += characters.pop()
        places = [place + 1 for place in places]
    return (*parts, text) if text else tuple(parts)


def _with_dollars(parts: Sequence[str | TemplateVariable]) -> str:
    """Return *parts* as one text, with `$` before each variable, and braces before a letter, a digit or `_`."""
    text = ""
    for part, following in zip(parts, (*parts[1:], ""), strict=True):
        if isinstance(part, str):
            text += part
        else:
            is_followed = isinstance(following, str) and (following[:1].isalnum() or following[:1] == "_")
            text += f"${{{part.name}}}" if is_followed else f"${part.name}"
    return text


def script_text(texts: Sequence[str], values: Sequence[Values]) -> str | None:
    """Return the entry of a script with variables in place of *values*; None if quotes could prevent the expansion."""
    text = expanded_text(texts, values)
    if text is None or re.fullmatch(f"{_ASSIGNMENT}|{_EXPORT}", text):
        return text
    rest = re.sub(_PATH, "", text)
    lines = [line for line in text.split("\n") if re.search(_PATH, line)]
    rests = [re.sub(_PATH, "", each) for each in texts]
    is_in_paths = all(each == rest for each in rests)
    if not is_in_paths or any("'" in line or "\\" in line for line in lines):
        return None
    return re.sub(_BARE_PATH, r'"\g<0>"', text)


def _axis_at(texts: Sequence[str], places: Sequence[int], values: Sequence[Values]) -> str | None:
    """Return the axis, with different values, whose value is in each text at its place; the longest if several."""
    candidates = [
        axis
        for axis in values[0]
        if len({own[axis] for own in values}) > 1
        and all(text.startswith(own[axis], place) for text, place, own in zip(texts, places, values, strict=True))
    ]
    return max(candidates, key=lambda axis: len(values[0][axis]), default=None)
