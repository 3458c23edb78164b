"""Scripts in which quotes alone decide how a reference is read, and nothing reads it as a program: most of them.

What is found here the lexer finds too. It takes longer, since it follows all of the shell's grammar.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.script import Context
from pipegen.bindings.script_checks import WATCHED
from pipegen.bindings.script_cursor import RESERVED_NAMESPACES

_REFERENCE = r"\$\{(?P<namespace>[A-Za-z0-9_-]*)\.(?P<name>[A-Za-z0-9._-]+)(?:\|(?P<default>[^}$\"'`\\\n]*))?\}"
_UNNAMED = re.sub(r"\?P<\w+>", "?:", _REFERENCE)
# What needs the grammar is left out: comments, escapes, substitutions, here-documents, arrays, conditions.
_PLAIN = re.compile(
    rf"""(?:[A-Za-z0-9_./:@%+,=;|&>~*?^{{}}! \t\n-]++|"(?:[^"$`\\]++|{_UNNAMED})*"|'[^'$]*+'|{_UNNAMED})*"""
)
_PIECE = re.compile(rf"""(?P<quoted>"(?:[^"$]++|{_UNNAMED})*")|'[^']*'|{_UNNAMED}""")
_FOUND = re.compile(_REFERENCE)
_WATCHED = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(sorted(WATCHED))})(?![A-Za-z_])")


def plain_references(script: str, stages: Collection[str]) -> list[tuple[re.Match[str], Context]] | None:
    """Return the references in *script*, each with its groups and how it is quoted; None where a lexer is needed."""
    if not _PLAIN.fullmatch(script) or _WATCHED.search(script.replace('"', "").replace("'", "")):
        return None
    references = []
    for piece in _PIECE.finditer(script):
        context = Context.DOUBLE if piece["quoted"] else Context.WORD
        for found in _FOUND.finditer(script, piece.start(), piece.end()):
            if found["namespace"] not in stages and found["namespace"] not in RESERVED_NAMESPACES:
                return None
            references.append((found, context))
    return references
