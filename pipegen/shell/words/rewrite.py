"""A user's script with shell variables in place of its references, each quoted for its context."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, ParsedScript, PlacedReference, ScriptPart
from pipegen.shell.quote import quoted
from pipegen.shell.uses import is_plain
from pipegen.structs import replace

# Before these characters a name needs braces; `[` would begin a subscript.
_CONTINUES_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[")
_EXPANDED = re.compile(r"[\\$`]")
_SPECIAL = re.compile(r'[\\$`"]')
_LONG = 10_000
# Characters with no other meaning in a word, except in a regular expression after `=~`.
_PLAIN = r"[A-Za-z0-9_./:@%+,-]"
_LONGEST_WORD = 200
# Where plain text has no other meaning, not even as a keyword.
_IN_PLACE = frozenset((Context.DOUBLE, Context.DOCUMENT, Context.SINGLE))
# Text that plain text would continue: a name, or what a backslash escapes.
_OPEN_NAME = re.compile(r"(?:\\|\$\w*)\Z")
# How quoted text begins, and how it resumes after a reference.
_QUOTES = {Context.SINGLE: "'", Context.ANSI: "$'"}


_Variable: TypeAlias = Callable[[PlacedReference], str]
_HasDefault: TypeAlias = Callable[[PlacedReference], bool]


def rewrite(
    script: ParsedScript,
    variable: _Variable,
    default_variables: Mapping[str, str],
    has_default: _HasDefault,
) -> str:
    """Return the text of *script*; *variable* gives the variable that holds a reference's value.

    *default_variables* has the variable of each default that no expansion can contain. All these are set earlier.
    *has_default* returns whether the variable has the default already where the value is empty.
    """
    expansion = partial(_expansion, variable=variable, default_variables=default_variables, has_default=has_default)
    # *skips* is the number of characters at the start of the next part that are written already.
    pieces, text, skips, is_interrupted, is_open = list[str](), "", 0, False, False
    has_patterns = len(script.parts) > 1 and any("=~" in part for part in script.parts if type(part) is str)
    for number, part in enumerate(script.parts, 1):
        if len(text) > _LONG:
            # Only a word at its end may be changed again, which would copy a long text for each reference.
            pieces.append(text[:-_LONGEST_WORD])
            text = text[-_LONGEST_WORD:]
        match part:
            case str():
                text += part[skips:]
                skips = 0
            case PlacedReference(context=context):
                following = script.parts[number] if number < len(script.parts) else ""
                if context is Context.DOUBLE or context is Context.DOCUMENT:
                    text += expansion(part, following=following)
                elif context is Context.WORD:
                    start = "" if has_patterns or is_open else _start_of_word(text if pieces else f" {text}")
                    skips = 0 if has_patterns else _more_of_word(script.parts, number)
                    rest = following[:skips] if type(following) is str else ""
                    opening = "" if is_open else '"'
                    value = expansion(part, following=rest)
                    is_open = not has_patterns and _is_followed(script.parts, number, skips)
                    text = "".join((text.removesuffix(start), opening, start, value, rest, "" if is_open else '"'))
                else:
                    quotes = _QUOTES[context]
                    text = text if is_interrupted else _closed(text, quotes)
                    text += f'"{expansion(part, following="")}"'
                    is_interrupted = isinstance(following, PlacedReference) and following.context is context
                    skips = int(isinstance(following, str) and following.startswith("'"))
                    text += "" if is_interrupted or skips else quotes
            case Body(text=body):
                text += _EXPANDED.sub(r"\\\g<0>", body)
            case Delimiter(plain=plain):
                text += plain
            case Escaped():
                text += _escaped(part)
    return "".join((*pieces, text))


def with_constants(script: ParsedScript, constant: Callable[[PlacedReference], str | None]) -> ParsedScript:
    """Return *script* with text in place of references to a plain *constant*, where they are between quotes.

    Elsewhere, the text could be a keyword, or split into words.
    """
    parts: list[ScriptPart] = []
    for part in script.parts:
        before = parts[-1] if parts else ""
        text = constant(part) if isinstance(part, PlacedReference) and _may_be_text(part, before) else None
        parts.append(text or part)
    return replace(script, parts=tuple(parts))


def _may_be_text(placed: PlacedReference, before: ScriptPart) -> bool:
    """Return whether plain text may be in place of *placed*, which follows the part *before*."""
    text = before.text if isinstance(before, Body) else before
    if placed.context not in _IN_PLACE or not isinstance(text, str):
        return False
    # The first word of a line could end a here-document.
    is_first = placed.context is Context.DOCUMENT and " " not in text.rpartition("\n")[2]
    return not is_first and _OPEN_NAME.search(text[-_LONGEST_WORD:]) is None


def _start_of_word(text: str) -> str:
    """Return the plain characters at the end of *text* from the start of a word or of a value."""
    match = re.search(rf"[\s=(<>]({_PLAIN}+)\Z", text[-_LONGEST_WORD:])
    return match[1] if match is not None else ""


def _more_of_word(parts: Sequence[ScriptPart], number: int) -> int:
    """Return how many plain characters follow in the word at the start of *parts* from *number* on.

    None do if the word goes on with other characters: these could be quotes.
    """
    following = parts[number] if number < len(parts) else ""
    if not isinstance(following, str):
        return 0
    match = re.match(rf"{_PLAIN}+(?=[\s;|&)<>]|\Z)", following)
    if match is None or (match.end() == len(following) and not _is_word_or_end(parts, number + 1)):
        return 0
    return match.end()


def _is_word_or_end(parts: Sequence[ScriptPart], number: int) -> bool:
    part = parts[number] if number < len(parts) else None
    return part is None or (isinstance(part, PlacedReference) and part.context is Context.WORD)


def _is_followed(parts: Sequence[ScriptPart], number: int, skips: int) -> bool:
    """Return whether the word goes on with another reference, after *skips* characters."""
    following = parts[number] if number < len(parts) else None
    if isinstance(following, str) and skips == len(following):
        following = parts[number + 1] if number + 1 < len(parts) else None
    return isinstance(following, PlacedReference) and following.context is Context.WORD


def _closed(text: str, quotes: str) -> str:
    """Return *text* with its *quotes* closed, or without them where they are empty."""
    return text.removesuffix(quotes) if text.endswith(quotes) else f"{text}'"


def _expansion(
    placed: PlacedReference,
    *,
    variable: _Variable,
    default_variables: Mapping[str, str],
    has_default: _HasDefault,
    following: ScriptPart,
) -> str:
    """Return the variable of *placed*, or its default where that is empty, for use between double quotes."""
    name = variable(placed)
    default = None if has_default(placed) else placed.reference.default
    # A default without a variable is resolved already: the value is constant.
    if default is not None and (is_plain(default) or default in default_variables):
        text = default if is_plain(default) else f"${default_variables[default]}"
        return f"${{{name}:-{text}}}"
    text = following if type(following) is str else following.text if type(following) is Body else ""
    # The shell joins lines before it reads a name.
    return f"${{{name}}}" if text[:1] in _CONTINUES_NAME or text.startswith("\\\n") else f"${name}"


def _escaped(part: Escaped) -> str:
    """Return *part* escaped, so that the shell reads its text literally."""
    match part.context:
        case Context.WORD:
            return quoted(part.text)
        case Context.DOUBLE:
            return _SPECIAL.sub(r"\\\g<0>", part.text)
        case Context.DOCUMENT:
            return _EXPANDED.sub(r"\\\g<0>", part.text)
        case Context.SINGLE:
            return part.text.replace("'", r"'\''")
        case Context.ANSI:
            return re.sub(r"['\\]", r"\\\g<0>", part.text)
