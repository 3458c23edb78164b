"""Groovy without its texts: what is alike in many stages, and what each of them fills in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pipegen.emit.groovy import literal
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import expression

# Where a text is missing; `#` marks a number. No Groovy of ours or of a user holds this character.
_MARK = "\0"
_HOLE = re.compile(rf"{_MARK}(\d+)(#?){_MARK}")
# A text in single quotes that an argument may stand for: no key of a map, no name of a method. Other texts are looked
# at so that nothing in them is taken for one. A number is whole, and fits an int.
_FOUND = re.compile(
    r"""'''.*?'''|(?<![.\w])'(?P<text>(?:[^'\\\n]|\\.)*)'(?!\s*:)|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\""""
    r"""|(?<![\w.$])(?P<number>\d{1,9})(?![\w.])""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([\\'])|([ntr])|u([0-9A-Fa-f]{4}))")
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r"}


class Shape(Struct):
    """Groovy with holes, and the texts that fill them."""

    code: str
    texts: tuple[str, ...] = ()


@cache
def coded(*parts: str | None) -> str:
    """Return *parts* of Groovy of ours, one after the other, with a hole for each None."""
    return shaped(*(hole("") if part is None else part for part in parts)).code


def shaped(*parts: str | Shape) -> Shape:
    """Return *parts* one after the other: Groovy that is complete, and what has holes."""
    code = ""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, Shape):
            code += _renumbered(part.code, len(texts)) if texts else part.code
            texts += [*part.texts]
        else:
            code += part
    return Shape(code, tuple(texts))


def hole(text: str) -> Shape:
    """Return a hole for *text*."""
    return Shape(f"{_MARK}0{_MARK}", (text,))


def holes(groovy: str) -> Shape:
    """Return *groovy* with holes for its texts in single quotes and its numbers, as far as that is safe."""
    if not _can_be_read(groovy):
        return Shape(groovy)
    code, end = "", 0
    texts: list[str] = []
    for found in _FOUND.finditer(groovy):
        text = found["number"] if found["number"] is not None else _unescaped(found["text"])
        code += groovy[end : found.start()]
        end = found.end()
        if text is None:
            code += found[0]
        else:
            code += f"{_MARK}{len(texts)}{'#' if found['number'] is not None else ''}{_MARK}"
            texts.append(text)
    return Shape(code + groovy[end:], tuple(texts))


def value_shape(value: model.Value) -> Shape:
    """Return the expression of *value* with holes for its texts."""
    return hole(value) if isinstance(value, str) else holes(expression(value))


def filled(code: str, given: Sequence[str | None], texts: str = "texts") -> str:
    """Return *code* with its holes filled: with the text that is *given*, else with an item of the list *texts*.

    Those that are not given are counted anew.
    """
    numbers = {at: number for number, at in enumerate(at for at, text in enumerate(given) if text is None)}

    def fill(found: re.Match[str]) -> str:
        text = given[int(found[1])]
        if text is not None:
            return text if found[2] else literal(text)
        item = f"{texts}[{numbers[int(found[1])]}]"
        # On the sandbox's list of what is allowed (script-security, generic-whitelist).
        return f"Integer.parseInt({item})" if found[2] else item

    return _HOLE.sub(fill, code)


def _renumbered(code: str, first: int) -> str:
    return _HOLE.sub(lambda found: f"{_MARK}{int(found[1]) + first}{found[2]}{_MARK}", code)


def _can_be_read(groovy: str) -> bool:
    """Return whether quotes are what they seem: no text between slashes, and no expression within a text."""
    return "/" not in _FOUND.sub("", groovy) and not ('"' in groovy and "${" in groovy)


def _unescaped(text: str | None) -> str | None:
    """Return what *text* means between single quotes; None for an escape that is not one of ours."""
    if text is None or "\\" in _ESCAPE.sub("", text):
        return None
    return _ESCAPE.sub(
        lambda found: found[1] or _CONTROLS.get(found[2] or "") or chr(int(found[3] or "0", 16)),
        text,
    )
