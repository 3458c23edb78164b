"""A fast path for plain scripts, where only quotes decide how a reference is read, and no command evaluates it.

Most scripts are plain. The lexer gives the same result, but takes longer, since it follows the whole shell grammar:
with the lexer alone, a compile takes 3 % more instructions for 10 stages, and 18 % more for 1,000.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.expression import Reference
from pipegen.bindings.grammar import NAME, NAMESPACE
from pipegen.bindings.script.called.builtins import is_command_variable
from pipegen.bindings.script.called.interpreters import COMMAND_OPTION, WATCHED
from pipegen.bindings.script.model import RESERVED_NAMESPACES, Context, PlacedReference, ScriptPart
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

# Without combinations, and without quotes in a default. It has four groups: all of it, and its parts.
_REFERENCE = re.compile(rf"(\$\{{{NAMESPACE}\.{NAME}(?:\|(?P<default>[^}}$\"'`\\\n]*))?\}})")
# In these patterns, `$` stands for a reference. A plain script excludes everything else that needs the grammar:
# comments, escapes, substitutions, here-documents, arrays, conditions, `>&` before a word.
_PLAIN = re.compile(r"""(?:[A-Za-z0-9_./:@%+,=;|&~*?^{}!$ \t\n-]++|>(?!&[^0-9-])|"[^"\\`]*"|'[^'$]*')*""")
_QUOTED_OR_NOT = re.compile(r"""[^"']+|"[^"]*"|'[^']*'""")
_WORD_OR_SEPARATOR = re.compile(r"""[;|&\n]|(?:[^;|&\s"']++|"[^"]*"|'[^']*')+""")
_SEPARATORS = frozenset(";|&\n")
# Commands that run the file, or set the variable, that the next word names.
_NAMERS = frozenset((".", "for", "select"))
# After these a command begins, as after a separator; `time` is watched.
_KEYWORDS = frozenset(("if", "then", "elif", "else", "while", "until", "do", "{", "!"))
# Options of one letter that take a command or a program in some program: `o` and make's `E` also after other letters.
_SHORT_OPTION = re.compile("[-+](?!-)(?:[ceIST]|[A-Za-z0-9]{0,5}o|.*E)")
_SIGNS = frozenset("-+")
# No watched word has fewer than two letters in a row.
_LETTERS = re.compile("[A-Za-z_]{2,}")
_WATCHED = frozenset(_LETTERS.findall(" ".join(WATCHED)))


def plain_parts(source: Scalar, first: int | None, stages: Collection[str]) -> list[ScriptPart] | None:
    """Return the references in the script *source* and the text between; None if it needs the lexer.

    *first* is the offset of the script in its file, None if the file does not contain it verbatim.
    """
    # Text, then a reference as written, then its parts, and so on; the last piece is text.
    pieces = _REFERENCE.split(source.text)
    texts = pieces[::5]
    text = "$".join(texts)
    if text.count("$") != len(texts) - 1 or not _PLAIN.fullmatch(text) or _may_run_values(text):
        return None
    contexts = [
        Context.DOUBLE if piece.startswith('"') else Context.WORD
        for piece in _QUOTED_OR_NOT.findall(text)
        for _ in range(piece.count("$"))
    ]
    file = source.span.file
    parts: list[ScriptPart] = []
    start = end = 0
    for number, context in enumerate(contexts):
        before, written, namespace, name, default = pieces[5 * number : 5 * number + 5]
        if namespace not in stages and namespace not in RESERVED_NAMESPACES:
            return None
        if before:
            parts.append(before)
        start, end = end + len(before), end + len(before) + len(written)
        span = source.part(start, end) if first is None else Span(file, first + start, first + end)
        parts.append(PlacedReference(Reference(namespace, name, default, span), context))
    if texts[-1]:
        parts.append(texts[-1])
    return parts


def _may_run_values(text: str) -> bool:
    """Return whether a command may run or evaluate a value in *text*, in which `$` stands for each reference."""
    unquoted = text.replace('"', "").replace("'", "")
    if not _WATCHED.isdisjoint(_LETTERS.findall(unquoted)) or "/stdin" in unquoted or "/fd/" in unquoted:
        return True
    begins_command = True
    for written in _WORD_OR_SEPARATOR.findall(text):
        word = written.replace('"', "").replace("'", "")
        if written in _SEPARATORS or word in _KEYWORDS:
            begins_command = True
        elif "{" in word or (word[:1] in _SIGNS and (begins_command or _takes_command(word))):
            return True
        elif "=" in word and (variable := _assigned(word)):
            if "$" in word and is_command_variable(variable):
                return True
        elif begins_command:
            # A value may name the command, also after a redirection.
            if "$" in word or ">" in word or word in _NAMERS:
                return True
            begins_command = False
    return False


def _takes_command(option: str) -> bool:
    """Return whether a program may run the text in or after *option*, or read one from standard input."""
    name = option.partition("=")[0]
    return (
        _SHORT_OPTION.match(option) is not None
        or option.endswith("-")
        or name == "--output"
        or (name[2:] != "" and re.fullmatch(COMMAND_OPTION, f"--{name.lstrip('-')}") is not None)
    )


def _assigned(word: str) -> str:
    """Return the variable that *word* assigns, or ""."""
    name, equals, _ = word.partition("=")
    name = name.removesuffix("+")
    return name if equals and name.isidentifier() else ""
