"""Texts of several combinations of a matrix as one text with variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar, cast

from pipegen.shell.quote import Literal, assigned
from pipegen.structs import Struct, replace

Values: TypeAlias = Mapping[str, str]
T = TypeVar("T")

# A shell variable that is set to a value, and nothing else.
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)")
# One that is set to the value of another.
_ASSIGNMENT = r"[A-Za-z_][A-Za-z0-9_]*=\$\{?[A-Za-z0-9_]+\}?"
# One that is set to text in single quotes, of which double quotes change nothing, and in which others are expanded.
_QUOTED_ASSIGNMENT = r"""([A-Za-z_][A-Za-z0-9_]*)='([^'"\\`]*)'"""
# A variable whose value is in double quotes, in which others are expanded.
_EXPORT = r'export [A-Za-z_][A-Za-z0-9_]*="[^"\\`]*"'
# A path of pipegen, whose parts need no quotes.
_PATH = r'(?:[>"]|(?<=\s)|^)\.pipegen/[A-Za-z0-9_./${}-]*'
# One at the end that a complete command writes to: all quotes before it are closed.
_WRITTEN_PATH = r" >\.pipegen/[A-Za-z0-9_./${}-]*\Z"
# The change to the directory of a stage, without quotes.
_CHANGE_DIRECTORY = r"cd ([A-Za-z0-9_./${}-]+)"
# The command for an output that is a file; both paths need no quotes.
_COPY = r"cat ([A-Za-z0-9_./${}-]+) >(\.pipegen/[A-Za-z0-9_./${}-]+)"
# One with a variable and without quotes.
_BARE_PATH = r"(?:(?<=[>\s])|^)\.pipegen/[A-Za-z0-9_./{}-]*\$[A-Za-z0-9_./${}-]*"


class TemplateVariable(Struct):
    """A variable in a text."""

    name: str


class DifferentError(Exception):
    """Combinations differ in more than the values of axes."""


# Returns the one value in place of the values of a field; raises `DifferentError` if there is none.
Rule: TypeAlias = Callable[[Sequence[Any]], object]


class Merger:
    """Finds structs that equal those of several combinations, by a rule for each field that may differ.

    Fields without a rule may differ if they contain structs, in fields of these.
    """

    def __init__(self, rules: Mapping[tuple[type, str], Rule]) -> None:
        self._rules = rules

    def merged(self, values: Sequence[T]) -> T:
        """Return the value that equals each of *values*; raise `DifferentError` if there is none."""
        if all(value == values[0] for value in values):
            return values[0]
        return cast(T, self._merged(values))

    def _merged(self, values: Sequence[Any]) -> object:
        kind = type(values[0])
        if any(type(value) is not kind for value in values):
            raise DifferentError
        if kind is tuple:
            return tuple(map(self.merged, columns(values)))
        if not issubclass(kind, Struct):
            raise DifferentError
        changes = {}
        for name in kind.__struct_fields__:
            fields = [getattr(value, name) for value in values]
            if any(field != fields[0] for field in fields):
                changes[name] = self._rules.get((kind, name), self.merged)(fields)
        return replace(values[0], **changes)


def columns(lists: Sequence[Sequence[T]]) -> Iterator[tuple[T, ...]]:
    """Yield the items at each index of *lists*; raise `DifferentError` if they have different lengths."""
    if len(set(map(len, lists))) > 1:
        raise DifferentError
    yield from zip(*lists, strict=True)


def expanded_text(texts: Sequence[str], values: Sequence[Values]) -> str:
    """Return the text in which GitLab expands variables to *values*, with the result *texts*.

    Raises `DifferentError` if there is none, like all functions here.
    """
    return _with_dollars(text_parts(texts, values))


def text_parts(texts: Sequence[str], values: Sequence[Values]) -> tuple[str | TemplateVariable, ...]:
    """Return text and variables that with *values* in their place equal *texts*; the first has no empty values."""
    axes = [axis for axis in values[0] if len({own[axis] for own in values}) > 1]
    values_of_first = sorted((values[0][axis] for axis in axes), key=len, reverse=True)
    possible = re.compile("|".join(map(re.escape, values_of_first)) or "(?!)")
    positions = [0] * len(texts)
    parts: list[str | TemplateVariable] = []
    text, search_from = "", 0
    while match := possible.search(texts[0], search_from):
        text += _common(texts, positions, match.start())
        axis = _axis_at(texts, positions, values, axes)
        if axis is None:
            search_from = positions[0] + 1
            continue
        positions[:] = [position + len(own[axis]) for position, own in zip(positions, values, strict=True)]
        search_from = positions[0]
        parts += [text, TemplateVariable(axis)] if text else [TemplateVariable(axis)]
        text = ""
    text += _common(texts, positions, len(texts[0]))
    if any(position < len(whole) for position, whole in zip(positions, texts, strict=True)):
        raise DifferentError
    return (*parts, text) if text else tuple(parts)


def _common(texts: Sequence[str], positions: list[int], end: int) -> str:
    """Return the text up to *end* that all of *texts* have at their *positions*, and move these after it."""
    common = texts[0][positions[0] : end]
    if not all(text.startswith(common, position) for text, position in zip(texts, positions, strict=True)):
        raise DifferentError
    positions[:] = [position + len(common) for position in positions]
    return common


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


def script_text(texts: Sequence[str], values: Sequence[Values]) -> str:
    """Return the entry of a script with variables in place of *values*, unless quotes could prevent the expansion."""
    text = expanded_text(texts, values)
    if re.fullmatch(f"{_ASSIGNMENT}|{_EXPORT}", text):
        return text
    if (quoted := re.fullmatch(_QUOTED_ASSIGNMENT, text)) and not any("$" in own for own in texts):
        return f'{quoted[1]}="{quoted[2]}"'
    if directory := re.fullmatch(_CHANGE_DIRECTORY, text):
        return f'cd "{directory[1]}"'
    if (copy := re.fullmatch(_COPY, text)) and not any("$" in own for own in texts):
        return "cat {} >{}".format(*(f'"{path}"' if "$" in path else path for path in copy.groups()))
    rest = re.sub(_PATH, "", text)
    lines = [line for line in re.sub(_WRITTEN_PATH, "", text).split("\n") if re.search(_PATH, line)]
    rests = [re.sub(_PATH, "", each) for each in texts]
    is_in_paths = all(each == rest for each in rests)
    if not is_in_paths or any("'" in line or "\\" in line for line in lines):
        raise DifferentError
    return re.sub(_BARE_PATH, r'"\g<0>"', text)


def assignment_text(lines: Sequence[str], values: Sequence[Values]) -> str:
    """Return the command that sets a variable to that of an axis, if *lines* set it to its *values*; else ""."""
    matches = [match for match in map(ASSIGNMENT.fullmatch, lines) if match]
    if len(matches) < len(lines) or any(match[1] != matches[0][1] for match in matches):
        return ""
    quoted = [{axis: assigned((Literal(value),)) for axis, value in own.items()} for own in values]
    axis = axis_of([match[2] for match in matches], quoted)
    return f"{matches[0][1]}=${axis}" if axis else ""


def axis_of(texts: Sequence[str], values: Sequence[Values]) -> str:
    """Return the axis whose *values* are *texts*, "" if there is none."""
    return next((axis for axis in values[0] if [own[axis] for own in values] == texts), "")


def with_plain_axes(values: Sequence[Values], is_plain: Callable[[str], bool]) -> list[Values]:
    """Return *values* without the axes that have others than those that are plain by *is_plain*."""
    axes = [axis for axis in values[0] if all(is_plain(own[axis]) for own in values)]
    return [{axis: own[axis] for axis in axes} for own in values]


def _axis_at(
    texts: Sequence[str], positions: Sequence[int], values: Sequence[Values], axes: Sequence[str]
) -> str | None:
    """Return the axis whose value is in each text at its position, None if there is none; the longest if several."""
    candidates = [
        axis
        for axis in axes
        if all(
            text.startswith(own[axis], position) for text, position, own in zip(texts, positions, values, strict=True)
        )
    ]
    return max(candidates, key=lambda axis: len(values[0][axis]), default=None)
