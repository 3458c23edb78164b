"""The engines' variables that a script expands without setting them itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pipegen.bindings.script.called.builtins import TESTS
from pipegen.bindings.script.lexer import lex
from pipegen.bindings.script.syntax import CommandForm, Expansion, Lexed, ShellCommand
from pipegen.lint.predefined import MARKERS, PREDEFINED
from pipegen.structs import Struct

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEFAULT = r"\$\{[A-Za-z_][A-Za-z0-9_]*:?[-+=?]"
_SET = r"\$\{([A-Za-z_][A-Za-z0-9_]*):?="
_CHOICE = r"\bcase\s+\"?\$\{?([A-Z_]+)"
# Commands that set variables by name.
_READERS = r"\b(?:read|for|select|mapfile|readarray|getopts|printf\s+-v)\b[^\n;|&]*"
_DECLARES = frozenset({"export", "readonly", "local", "declare", "typeset", "env"})
# Commands that set variables which are not in the script.
_SOURCES = frozenset({".", "source", "eval"})
_BRACKETS = frozenset({"[", "]", "[[", "]]", "test", "!"})
_EMPTINESS = frozenset({"", "-n", "-z", "-v"})


class ScriptVariables(Struct):
    """The *expansions* of a script, and the names that it *assigned*.

    It *is_aware* of engines if it checks on which one it runs, or reads variables from a file.
    """

    expansions: tuple[Expansion, ...] = ()
    assigned: frozenset[str] = frozenset()
    is_aware: bool = False


def variables(script: str, names: Collection[str]) -> ScriptVariables:
    """Return how *script* uses the variables *names*; expansions with a default are ignored."""
    words = set(_WORD.findall(script))
    if words.isdisjoint(names) and words.isdisjoint(_SOURCES) and ". " not in script:
        return ScriptVariables()
    lexed, error = lex(script, ())
    if error is not None:
        return ScriptVariables(is_aware=True)
    guarded = [expansion for expansion in lexed.expansions if re.compile(_DEFAULT).match(script, expansion.start)]
    selected = (expansion for expansion in lexed.expansions if expansion.name in names)
    return ScriptVariables(
        tuple(
            expansion
            for expansion in selected
            if not any(guard.start <= expansion.start and expansion.end <= guard.end for guard in guarded)
        ),
        frozenset(_assigned(script, lexed)),
        not MARKERS.isdisjoint(re.findall(_CHOICE, script))
        or any(_is_aware(expansion, lexed) for expansion in lexed.commands),
    )


def _assigned(script: str, lexed: Lexed) -> Iterator[str]:
    for command in lexed.commands:
        for word in command.words:
            if word.assigned is not None:
                yield word.assigned
            elif word.text not in _DECLARES and not word.text.startswith("-"):
                break
    for reader in re.findall(_READERS, script):
        yield from _WORD.findall(reader)
    yield from re.findall(_SET, script)


def _is_aware(command: ShellCommand, lexed: Lexed) -> bool:
    texts = [word.text for word in command.words]
    if texts and texts[0] in _SOURCES:
        return True
    if command.form is not CommandForm.CONDITION and not (texts and texts[0] in TESTS):
        return False
    tested = {expansion.name for expansion in lexed.expansions if command.start <= expansion.start < command.end} | set(
        texts
    )
    operands = [text for text in texts if text not in _BRACKETS]
    asks_whether_set = len(operands) == 1 or not _EMPTINESS.isdisjoint(operands)
    return not MARKERS.isdisjoint(tested) or (asks_whether_set and not tested.isdisjoint(_all_names()))


def _all_names() -> frozenset[str]:
    return frozenset().union(*PREDEFINED.values())
