"""A fast path for plain scripts, where only quotes decide how a reference is read, and no command evaluates it.

Most scripts are plain. The lexer gives the same result, but takes longer, since it follows the whole shell grammar:
with the lexer alone, a compile takes 3 % more instructions for 10 stages, and 18 % more for 1,000.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.expression import Reference
from pipegen.bindings.grammar import NAME, NAMESPACE
from pipegen.bindings.script.called.interpreters import WATCHED
from pipegen.bindings.script.model import RESERVED_NAMESPACES, Context, PlacedReference, ScriptPart
from pipegen.source.text import Span
from pipegen.source.tree import Scalar

# Without combinations, and without quotes in a default.
_REFERENCE = rf"\$\{{{NAMESPACE}\.{NAME}(?:\|(?P<default>[^}}$\"'`\\\n]*))?\}}"
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _REFERENCE)
# Excludes everything that needs the grammar: comments, escapes, substitutions, here-documents, arrays, conditions.
_PLAIN = re.compile(
    rf"""(?:[A-Za-z0-9_./:@%+,=;|&>~*?^{{}}! \t\n-]++|"(?:[^"$`\\]++|{_UNNAMED})*"|'[^'$]*+'|{_UNNAMED})*"""
)
# A value that may name the command, after keywords, assignments or redirections, at the start and later; an option that
# may take a command; a word after `>&` that is not a number. A search skips all characters but the first of a pattern.
_NAMED = (
    r"""[ \t]*+(?:(?:if|then|elif|else|while|until|do|time|[A-Za-z_]\w*+=(?:"[^"]*+"|'[^']*+'|[^\s"';|&])*"""
    r"""|[0-9]*+>[>|&]?[ \t]*+[^\s;|&]++)[ \t]++)*['"]*+\$"""
)
_NAMED_FIRST, _NAMED_LATER = re.compile(_NAMED), re.compile(rf"[;|&\n{{!](?:(?<=[;|&\n])|[ \t]){_NAMED}")
_COMMAND = re.compile(
    r"-(?<=[ \t\"']-)(?:[ceEISTo]|[ceEISTo][^\s-]|-[a-z_-]*(?:exec|command|cmd|eval|call|rsh|pager|hook|invoke)[a-z]*"
    r"|-[a-z_-]*(?:wrapper|shell|askpass|path|act|comp|comm|script|under|renderer|viewer|config|extcmd)"
    r"|-[a-z-]*(?:program|pack|string|action|filter)"
    r"|-output[=\s\"']*[|!]"
    r"|(?:[a-z]?-)?(?:[\s\"';|&]|$))"
    r"|\.(?<![^\s;|&({\"']\.)[\"']*[ \t]"
)
_DUPLICATION = re.compile(r">&(?![0-9-](?:[ \t\n;|&]|$))")
_SINGLE = r"""("[^"]*")|'[^']*'"""
_REFERENCES = re.compile(f"({_REFERENCE})")
# The first letters of a word, at least two: no watched word has fewer.
_WORD = re.compile(r"[A-Za-z_](?<![A-Za-z0-9_].)[A-Za-z_]+")
_WATCHED = frozenset(_WORD.findall(" ".join(WATCHED)))


def plain_parts(source: Scalar, first: int | None, stages: Collection[str]) -> list[ScriptPart] | None:
    """Return the references in the script *source* and the text between; None if it needs the lexer.

    *first* is the offset of the script in its file, None if the file does not contain it verbatim.
    """
    script = source.text
    if not _PLAIN.fullmatch(script):
        return None
    if _NAMED_FIRST.match(script) or _NAMED_LATER.search(script) or _COMMAND.search(script):
        return None
    if ">&" in script and _DUPLICATION.search(script):
        return None
    # Text, then a reference as written, then its groups, and so on; the last piece is text.
    pieces = _REFERENCES.split(script)
    if not _WATCHED.isdisjoint(_WORD.findall(" ".join(pieces[::5]).replace('"', "").replace("'", ""))):
        return None
    # Single quotes contain no references here, and double quotes inside them do not count.
    marks = re.sub(_SINGLE, _blank, script) if "'" in script else script
    file = source.span.file
    parts: list[ScriptPart] = []
    offset = quotes = 0
    for text, written, namespace, name, default in zip(*[iter(pieces)] * 5, strict=False):
        if namespace not in stages and namespace not in RESERVED_NAMESPACES:
            return None
        start = offset + len(text)
        if text:
            parts.append(text)
            quotes += marks.count('"', offset, start)
        offset = start + len(written)
        span = source.part(start, offset) if first is None else Span(file, first + start, first + offset)
        parts.append(
            PlacedReference(Reference(namespace, name, default, span), Context.DOUBLE if quotes % 2 else Context.WORD)
        )
    if pieces[-1]:
        parts.append(pieces[-1])
    return parts


def _blank(quoted: re.Match[str]) -> str:
    """Return text in double quotes unchanged, and text in single quotes as blanks."""
    return quoted[1] or " " * len(quoted[0])
