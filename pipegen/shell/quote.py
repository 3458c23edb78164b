"""Words for sh: bare where that is safe, in quotes else, and never more quotes than needed."""

from __future__ import annotations

import re
from typing import TypeAlias

from pipegen.structs import Struct


class Literal(Struct):
    """Text that means itself."""

    text: str


class VariableExpansion(Struct):
    """The value of a shell variable; with an *operator* such as `:-` or `#`, and its *operand*."""

    name: str
    operator: str = ""
    operand: Word = ()


class ShellFragment(Struct):
    """Text that stands between double quotes as it is."""

    text: str


Fragment: TypeAlias = "Literal | VariableExpansion | ShellFragment"
Word: TypeAlias = tuple[Fragment, ...]

_SAFE = re.compile(r"[A-Za-z0-9_./:@%+=,-]+")
_SPECIAL = re.compile(r'[\\"$`]')
# Not every engine keeps the first of these in a script.
_CRLF = "\r\n"
_CRLF_SPELT = "$(printf '\\r')\n"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPEN_NAME = r"(?:^|[^\\])\$[A-Za-z_][A-Za-z0-9_]*$"
# Braces keep the name apart from what follows; `[` would begin a subscript.
_GOES_ON = re.compile(r"[A-Za-z0-9_\[]")
# What no shell splits or expands further in an assignment: plain characters and simple expansions.
_UNSPLIT = (
    r"(?:[A-Za-z0-9_./:@%+=,-]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[A-Za-z0-9_./:@%+=,-]*)?\})*"
)


def shell_text(text: str) -> Word:
    """Return *text*, which may stand between double quotes, as a word."""
    if not text:
        return ()
    if not _SPECIAL.search(text):
        return (Literal(text),)
    name = text[2:-1] if text.startswith("${") and text.endswith("}") else text[1:]
    if text.startswith("$") and _NAME.fullmatch(name):
        return (VariableExpansion(name),)
    return (ShellFragment(text),)


def constant(word: Word) -> str | None:
    """Return the text of *word* where it holds nothing else."""
    text = ""
    for fragment in word:
        match fragment:
            case Literal(text=known):
                text += known
            case _:
                return None
    return text


def quote(word: Word | str) -> str:
    """Return *word* as one word of a command."""
    text = word if isinstance(word, str) else constant(word)
    if text is None:
        return f'"{between_quotes(word)}"'
    return text if _SAFE.fullmatch(text) else quoted(text)


def quoted(text: str) -> str:
    """Return *text* in quotes: single ones, or double ones where they need no backslash and single ones would."""
    if _CRLF in text or ("'" in text and not _SPECIAL.search(text)):
        return f'"{between_quotes(text)}"'
    return single_quoted(text)


def single_quoted(text: str) -> str:
    """Return *text* in single quotes."""
    return "'" + text.replace("'", r"'\''") + "'"


def assigned(word: Word) -> str:
    """Return *word* as the value of an assignment, which is not split."""
    text = constant(word)
    if text is not None:
        return quote(text) if text else ""
    inner = between_quotes(word)
    simple = re.match(_UNSPLIT, inner)
    rest = inner[simple.end() :] if simple else inner
    return inner if not rest or (rest.startswith("$(") and _closes_last(rest)) else f'"{inner}"'


def printf_format(text: str) -> str:
    """Return *text* for a format of `printf`, where it means itself."""
    return text.replace("\\", "\\\\").replace("%", "%%").replace("\n", "\\n")


def between_quotes(word: Word | str) -> str:
    """Return *word* for a place between double quotes."""
    if isinstance(word, str):
        return _literal(word)
    text = ""
    for fragment in reversed(word):
        text = _expansion(fragment, before=text) + text
    return text


def _expansion(fragment: Fragment, before: str) -> str:
    """Return *fragment* for a place between double quotes, *before* more text."""
    match fragment:
        case Literal():
            return _literal(fragment.text)
        case VariableExpansion(operator=""):
            return f"${{{fragment.name}}}" if _GOES_ON.match(before) else f"${fragment.name}"
        case VariableExpansion():
            return f"${{{fragment.name}{fragment.operator}{between_quotes(fragment.operand)}}}"
        case ShellFragment():
            if _GOES_ON.match(before) and re.search(_OPEN_NAME, fragment.text):
                head, _, name = fragment.text.rpartition("$")
                return f"{head}${{{name}}}"
            return fragment.text


def _literal(text: str) -> str:
    if _SPECIAL.search(text):
        text = _SPECIAL.sub(r"\\\g<0>", text)
    return text.replace(_CRLF, _CRLF_SPELT) if _CRLF in text else text


def _closes_last(text: str) -> bool:
    """Return whether the first parenthesis of *text* is closed by its last character; quotes are looked through."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ")" and depth == 0:
            return place == len(text) - 1
    return False
