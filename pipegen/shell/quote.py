"""Words for sh: unquoted where that is safe, else with as few quotes as possible."""

from __future__ import annotations

import re
from typing import TypeAlias

from pipegen.structs import Struct


class Literal(Struct):
    """Literal text."""

    text: str


class VariableExpansion(Struct):
    """The value of a shell variable; with an *operator* such as `:-` or `#`, and its *operand*."""

    name: str
    operator: str = ""
    operand: Word = ()


class ShellFragment(Struct):
    """Text that goes between double quotes unchanged."""

    text: str


Fragment: TypeAlias = "Literal | VariableExpansion | ShellFragment"
Word: TypeAlias = tuple[Fragment, ...]

_SAFE = re.compile(r"[A-Za-z0-9_./:@%+=,-]+")
_SPECIAL = re.compile(r'[\\"$`]')
# Some engines change a CRLF in a script.
_CRLF = "\r\n"
_CRLF_SUBSTITUTION = "$(printf '\\r')\n"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPEN_NAME = r"(?:^|[^\\])\$[A-Za-z_][A-Za-z0-9_]*$"
# Before these characters a name needs braces; `[` would begin a subscript.
_CONTINUES_NAME = re.compile(r"[A-Za-z0-9_\[]")
# Plain characters and simple expansions, which no shell splits or expands further in an assignment.
_UNSPLIT = (
    r"(?:[A-Za-z0-9_./:@%+=,-]|\$[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[A-Za-z0-9_./:@%+=,-]*)?\})*"
)


def shell_text(text: str) -> Word:
    """Return *text*, which is valid between double quotes, as a word."""
    if not text:
        return ()
    if not _SPECIAL.search(text):
        return (Literal(text),)
    name = text[2:-1] if text.startswith("${") and text.endswith("}") else text[1:]
    if text.startswith("$") and _NAME.fullmatch(name):
        return (VariableExpansion(name),)
    return (ShellFragment(text),)


def constant(word: Word) -> str | None:
    """Return the text of *word*, None if it has expansions."""
    text = ""
    for fragment in word:
        match fragment:
            case Literal(text=literal):
                text += literal
            case _:
                return None
    return text


def quote(word: Word | str) -> str:
    """Return *word* as one word of a command."""
    text = word if isinstance(word, str) else constant(word)
    if text is None:
        return f'"{between_quotes(word)}"'
    return text if _SAFE.fullmatch(text) else quoted(text)


def operand(path: str) -> str:
    """Return *path* in a form that no command takes for an option or its standard input."""
    return f"./{path}" if path.startswith("-") else path


def quoted(text: str) -> str:
    """Return *text* in single quotes, or in double quotes if only these need no backslash."""
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
    """Return *text* escaped for a `printf` format."""
    return text.replace("\\", "\\\\").replace("%", "%%").replace("\n", "\\n")


def between_quotes(word: Word | str) -> str:
    """Return *word* for use between double quotes."""
    if isinstance(word, str):
        return _literal(word)
    text = ""
    for fragment in reversed(word):
        text = _expansion(fragment, following=text) + text
    return text


def _expansion(fragment: Fragment, following: str) -> str:
    """Return *fragment* for use between double quotes; *following* is the text after it."""
    match fragment:
        case Literal():
            return _literal(fragment.text)
        case VariableExpansion(operator=""):
            return f"${{{fragment.name}}}" if _CONTINUES_NAME.match(following) else f"${fragment.name}"
        case VariableExpansion():
            return f"${{{fragment.name}{fragment.operator}{between_quotes(fragment.operand)}}}"
        case ShellFragment():
            if _CONTINUES_NAME.match(following) and re.search(_OPEN_NAME, fragment.text):
                head, _, name = fragment.text.rpartition("$")
                return f"{head}${{{name}}}"
            return fragment.text


def _literal(text: str) -> str:
    if _SPECIAL.search(text):
        text = _SPECIAL.sub(r"\\\g<0>", text)
    return text.replace(_CRLF, _CRLF_SUBSTITUTION) if _CRLF in text else text


def _closes_last(text: str) -> bool:
    """Return whether the last character of *text* closes its first parenthesis; quotes are ignored."""
    depth = 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ")" and depth == 0:
            return index == len(text) - 1
    return False
