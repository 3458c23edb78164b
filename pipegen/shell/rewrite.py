"""A user's script with shell variables where its references stand, each quoted for its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pipegen.bindings.script import Body, Context, Delimiter, Escaped, Placed, Script, ScriptPart
from pipegen.shell.quote import quoted
from pipegen.shell.uses import is_plain
from pipegen.structs import MutableStruct, field

# Braces keep the name apart from what follows; `[` would begin a subscript.
_GOES_ON = re.compile(r"[A-Za-z0-9_\[]")
_EXPANDED = re.compile(r"[\\$`]")
_SPECIAL = re.compile(r'[\\$`"]')
# How text in quotes begins where a reference may interrupt it, and how it goes on behind.
_QUOTES = {Context.SINGLE: "'", Context.ANSI: "$'"}


def defaults(script: Script) -> tuple[str, ...]:
    """Return the defaults that must be in variables before the script begins: no expansion can hold them."""
    texts = (placed.reference.default for placed in script.references())
    return tuple(dict.fromkeys(text for text in texts if text is not None and not is_plain(text)))


def rewrite(script: Script, variable: Callable[[Placed], str], default_variables: Mapping[str, str]) -> str:
    """Return the text of *script*; *variable* gives the variable that holds a reference's value.

    *default_variables* has the variable of each of its `defaults`. Both are shell variables that are set by then.
    """
    if len(script.parts) == 1 and isinstance(script.parts[0], str):
        return script.parts[0]
    writer = _Writer(variable, default_variables)
    for place, part in enumerate(script.parts):
        writer.write(part, script.parts[place + 1] if place + 1 < len(script.parts) else "")
    return "".join(writer.pieces)


class _Writer(MutableStruct):
    """The *pieces* of text so far; *skips* is what the next part has at its front and was written already."""

    variable: Callable[[Placed], str]
    default_variables: Mapping[str, str]
    pieces: list[str] = field(default_factory=list)
    skips: int = 0
    is_interrupted: bool = False

    def write(self, part: ScriptPart, following: ScriptPart) -> None:
        """Write *part*, in front of *following*."""
        match part:
            case str():
                self._add(part[self.skips :])
                self.skips = 0
            case Body(text=text):
                self._add(_EXPANDED.sub(r"\\\g<0>", text))
            case Delimiter(plain=plain):
                self._add(plain)
            case Escaped():
                self._add(_escaped(part))
            case Placed():
                self._placed(part, following)

    def _add(self, text: str) -> None:
        """Add *text*; a quote that opens stands in one piece, whatever parts it came from."""
        if len(text) < 2 and self.pieces:  # noqa: PLR2004 - an opening has two characters at most
            self.pieces[-1] += text
        else:
            self.pieces.append(text)

    def _placed(self, placed: Placed, following: ScriptPart) -> None:
        match placed.context:
            case Context.WORD:
                self._add(f'"{self._expansion(placed, "")}"')
            case Context.DOUBLE | Context.DOCUMENT:
                self._add(self._expansion(placed, following))
            case Context.SINGLE | Context.ANSI:
                self._interrupt(_QUOTES[placed.context])
                self._add(f'"{self._expansion(placed, "")}"')
                self._resume(_QUOTES[placed.context], placed, following)

    def _expansion(self, placed: Placed, following: ScriptPart) -> str:
        """Return the variable for a place between double quotes."""
        name, default = self.variable(placed), placed.reference.default
        # A default that is nowhere in a variable has been settled: the value is known when the script is written.
        if default is not None and (is_plain(default) or default in self.default_variables):
            text = default if is_plain(default) else f"${self.default_variables[default]}"
            return f"${{{name}:-{text}}}"
        goes_on = isinstance(following, str | Body) and _GOES_ON.match(
            following if isinstance(following, str) else following.text
        )
        return f"${{{name}}}" if goes_on else f"${name}"

    def _interrupt(self, opening: str) -> None:
        """Close the quotes, or take them away where nothing stands in them."""
        if self.is_interrupted:
            self.is_interrupted = False
        elif self.pieces and self.pieces[-1].endswith(opening):
            self.pieces[-1] = self.pieces[-1].removesuffix(opening)
        else:
            self._add("'")

    def _resume(self, opening: str, placed: Placed, following: ScriptPart) -> None:
        """Open the quotes again, unless they close at once or another reference follows."""
        if isinstance(following, Placed) and following.context is placed.context:
            self.is_interrupted = True
        elif isinstance(following, str) and following.startswith("'"):
            self.skips = 1
        else:
            self._add(opening)


def _escaped(part: Escaped) -> str:
    """Return the text of *part* so that the shell reads just that."""
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
