"""A user's script with shell variables in place of its references, each quoted for its context."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pipegen.bindings.script.model import Body, Context, Delimiter, Escaped, ParsedScript, PlacedReference, ScriptPart
from pipegen.shell.quote import quoted
from pipegen.shell.uses import is_plain

# Before these characters a name needs braces; `[` would begin a subscript.
_CONTINUES_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_[")
_EXPANDED = re.compile(r"[\\$`]")
_SPECIAL = re.compile(r'[\\$`"]')
_LONG = 10_000
# How quoted text begins, and how it resumes after a reference.
_QUOTES = {Context.SINGLE: "'", Context.ANSI: "$'"}


def rewrite(
    script: ParsedScript, variable: Callable[[PlacedReference], str], default_variables: Mapping[str, str]
) -> str:
    """Return the text of *script*; *variable* gives the variable that holds a reference's value.

    *default_variables* has the variable of each default that no expansion can contain. All these variables are set
    earlier.
    """
    # *skips* is the number of characters at the start of the next part that are written already.
    pieces: list[str] = []
    text, skips, is_interrupted = "", 0, False
    for number, part in enumerate(script.parts, 1):
        if len(text) > _LONG:
            # Only the quotes at its end may be removed again, which would copy a long text for each reference.
            pieces.append(text[:-2])
            text = text[-2:]
        match part:
            case str():
                text += part[skips:]
                skips = 0
            case PlacedReference(context=context):
                following = script.parts[number] if number < len(script.parts) else ""
                if context is Context.DOUBLE or context is Context.DOCUMENT:
                    text += _expansion(part, variable(part), default_variables, following)
                elif context is Context.WORD:
                    text += f'"{_expansion(part, variable(part), default_variables, "")}"'
                else:
                    quotes = _QUOTES[context]
                    text = text if is_interrupted else _closed(text, quotes)
                    text += f'"{_expansion(part, variable(part), default_variables, "")}"'
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


def _closed(text: str, quotes: str) -> str:
    """Return *text* with its *quotes* closed, or without them where they are empty."""
    return text.removesuffix(quotes) if text.endswith(quotes) else f"{text}'"


def _expansion(placed: PlacedReference, name: str, default_variables: Mapping[str, str], following: ScriptPart) -> str:
    """Return the variable *name* for use between double quotes."""
    default = placed.reference.default
    # A default without a variable is resolved already: the value is constant.
    if default is not None and (is_plain(default) or default in default_variables):
        text = default if is_plain(default) else f"${default_variables[default]}"
        return f"${{{name}:-{text}}}"
    text = following if type(following) is str else following.text if type(following) is Body else ""
    return f"${{{name}}}" if text[:1] in _CONTINUES_NAME else f"${name}"


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
