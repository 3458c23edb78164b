"""Shapes: Groovy without its texts, common to many stages, and the texts of each stage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from pipegen.emit.groovy import literal
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import summed

# The position of a text; `#` marks a number. No Groovy code contains this character.
_MARK = "\0"
_HOLE = re.compile(rf"{_MARK}(\d+)(#?){_MARK}")
_ONE_HOLE = f"{_MARK}0{_MARK}"
# A text in single quotes that an argument may replace: no key of a map, no name of a method. Other texts are matched
# so that nothing inside them is replaced. A number is an integer that fits an int.
_LITERAL = re.compile(
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
    """Return the concatenated *parts* of Groovy code, with a hole for each None."""
    return shaped(*(hole("") if part is None else part for part in parts)).code


def shaped(*parts: str | Shape) -> Shape:
    """Return the concatenated *parts*: complete Groovy, and shapes with holes."""
    code = ""
    texts: list[str] = []
    for part in parts:
        if type(part) is str:
            code += part
        elif isinstance(part, Shape):
            code += _renumbered(part.code, len(texts)) if texts else part.code
            texts += part.texts
    return Shape(code, tuple(texts))


def hole(text: str) -> Shape:
    """Return a hole for *text*."""
    return Shape(_ONE_HOLE, (text,))


def holes(groovy: str) -> Shape:
    """Return *groovy* with holes for its texts in single quotes and its numbers, where that is safe."""
    if not _can_be_read(groovy):
        return Shape(groovy)
    code, end = "", 0
    texts: list[str] = []
    for match in _LITERAL.finditer(groovy):
        text = match["number"] if match["number"] is not None else _unescaped(match["text"])
        code += groovy[end : match.start()]
        end = match.end()
        if text is None:
            code += match[0]
        else:
            code += f"{_MARK}{len(texts)}{'#' if match['number'] is not None else ''}{_MARK}"
            texts.append(text)
    return Shape(code + groovy[end:], tuple(texts))


def value_shape(value: model.Value) -> Shape:
    """Return the expression of *value* with holes for its texts."""
    return hole(value) if isinstance(value, str) else holes(summed(value))


def filled(code: str, common: Sequence[str | None], texts: str = "texts") -> str:
    """Return *code* with its holes filled: with the text in *common*, or else with an item of the list *texts*.

    The items of *texts* are numbered without the given ones.
    """
    numbers = {index: number for number, index in enumerate(index for index, text in enumerate(common) if text is None)}
    items = (None if text is not None else f"{texts}[{numbers[index]}]" for index, text in enumerate(common))
    return with_expressions(code, [text or "" for text in common], tuple(items))


def with_expressions(code: str, texts: Sequence[str], expressions: Sequence[str | None]) -> str:
    """Return *code* with its holes filled: with Groovy expressions, where one is None with the literal of its text."""

    def fill(match: re.Match[str]) -> str:
        index, is_number = int(match[1]), bool(match[2])
        item = expressions[index]
        if item is None:
            return texts[index] if is_number else literal(texts[index])
        # On the sandbox's allowlist (script-security, generic-whitelist).
        return f"Integer.parseInt({item})" if is_number else item

    return _HOLE.sub(fill, code)


def _renumbered(code: str, first: int) -> str:
    if code == _ONE_HOLE:
        return f"{_MARK}{first}{_MARK}"
    return _HOLE.sub(lambda match: f"{_MARK}{int(match[1]) + first}{match[2]}{_MARK}", code)


def _can_be_read(groovy: str) -> bool:
    """Return whether quotes are reliable: no text between slashes, and no expression within a text."""
    return "/" not in _LITERAL.sub("", groovy) and not ('"' in groovy and "${" in groovy)


def _unescaped(text: str | None) -> str | None:
    """Return the value of *text* between single quotes; None if it has other escapes than pipegen writes."""
    if text is None or "\\" in _ESCAPE.sub("", text):
        return None
    return _ESCAPE.sub(
        lambda match: match[1] or _CONTROLS.get(match[2] or "") or chr(int(match[3] or "0", 16)),
        text,
    )
