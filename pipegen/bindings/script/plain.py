"""Scripts in which quotes alone decide how a reference is read, and nothing reads it as a program: most of them.

What is found here the lexer finds too. It takes longer, since it follows all of the shell's grammar.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.expression import Reference
from pipegen.bindings.script.interpreters import WATCHED
from pipegen.bindings.script.model import RESERVED_NAMESPACES, Context, PlacedReference, ScriptPart
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

_REFERENCE = r"\$\{(?P<namespace>[A-Za-z0-9_-]*)\.(?P<name>[A-Za-z0-9._-]+)(?:\|(?P<default>[^}$\"'`\\\n]*))?\}"
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _REFERENCE)
# What needs the grammar is left out: comments, escapes, substitutions, here-documents, arrays, conditions.
_PLAIN = re.compile(
    rf"""(?:[A-Za-z0-9_./:@%+,=;|&>~*?^{{}}! \t\n-]++|"(?:[^"$`\\]++|{_UNNAMED})*"|'[^'$]*+'|{_UNNAMED})*"""
)
# A value that may name the command, with keywords, assignments or redirections in front; an option that a command may
# follow; what is no number behind `>&`.
_NAMED = re.compile(
    r"""(?:^|[;|&\n]|[{!][ \t])[ \t]*+"""
    r"""(?:(?:if|then|elif|else|while|until|do|time|[A-Za-z_]\w*+=(?:"[^"]*+"|'[^']*+'|[^\s"';|&])*"""
    r"""|[0-9]*+>[>|&]?[ \t]*+[^\s;|&]++)[ \t]++)*['"]*+\$"""
)
_COMMAND = re.compile(
    r"[ \t\"']-(?:[ceEISTo]|[ceEISTo][^\s-]|-[a-z-]*(?:exec|command|cmd|eval|call|rsh|pager|hook|invoke)[a-z]*)"
    r"|[ \t\"']--[a-z-]*(?:wrapper|shell|askpass|path|act|comp|comm|script)"
    r"|[ \t\"']--[a-z-]*(?:program|pack|string|action|filter)"
    r"|(?:^|[\s;|&({])[\"']*\.[\"']*[ \t]|[ \t\"']-(?:[a-z]?-)?(?:[\s\"';|&]|$)"
)
_DUPLICATION = re.compile(r">&(?![0-9-](?:[ \t\n;|&]|$))")
_SINGLE = r"""("[^"]*")|'[^']*'"""
_FOUND = re.compile(f"({_REFERENCE})")
# The letters that a word begins with, two at least: nothing that is watched has fewer.
_WORD = re.compile(r"[A-Za-z_](?<![A-Za-z0-9_].)[A-Za-z_]+")
_WATCHED = frozenset(_WORD.findall(" ".join(WATCHED)))


def plain_parts(source: Scalar, first: int | None, stages: Collection[str]) -> list[ScriptPart] | None:
    """Return the references in the script *source* and the text between; None where a lexer is needed.

    *first* is where the script stands in its file, None where it does not stand there letter for letter.
    """
    script = source.text
    if not _PLAIN.fullmatch(script) or any(hint.search(script) for hint in (_NAMED, _COMMAND, _DUPLICATION)):
        return None
    if not _WATCHED.isdisjoint(_WORD.findall(script.replace('"', "").replace("'", ""))):
        return None
    # Nothing of ours stands between single quotes, and double ones do not count there.
    marks = re.sub(_SINGLE, _blank, script) if "'" in script else script
    file = source.span.file
    parts: list[ScriptPart] = []
    at = quotes = 0
    # Text, then a reference, as it is written and in its groups, and so on; text is what comes last.
    pieces = _FOUND.split(script)
    for text, written, namespace, name, default in zip(*[iter(pieces)] * 5, strict=False):
        if namespace not in stages and namespace not in RESERVED_NAMESPACES:
            return None
        start = at + len(text)
        if text:
            parts.append(text)
            quotes += marks.count('"', at, start)
        at = start + len(written)
        span = source.part(start, at) if first is None else Span(file, first + start, first + at)
        parts.append(
            PlacedReference(Reference(namespace, name, default, span), Context.DOUBLE if quotes % 2 else Context.WORD)
        )
    if pieces[-1]:
        parts.append(pieces[-1])
    return parts


def _blank(quoted: re.Match[str]) -> str:
    """Return what is *quoted* by double quotes, and as many blanks for what single quotes hold."""
    return quoted[1] or " " * len(quoted[0])
