"""Regular expressions that are globs, as globs: the opposite of `Pattern.body`."""

from __future__ import annotations

import re

from pipegen.plan.model.patterns import Pattern

_TOKENS = re.compile(r"(?P<folders>\(\.\*/\)\?)|(?P<all>\.\*)|(?P<name>\[\^/\]\*)|(?P<one>\[\^/\])|\\(?P<literal>.)|.")
_WILDCARDS = {"folders": "**/", "all": "**", "name": "*", "one": "?"}
_ALTERNATIVES = re.compile(r"(?:\\.|[^\\|])+")


def globs_of(regex: str) -> tuple[str, ...]:
    """Return the globs that together match what the portable expression *regex* does; () if it is not of this kind."""
    if not (regex.startswith("^") and regex.endswith("$")):
        return ()
    body = regex[1:-1]
    alternatives = _ALTERNATIVES.findall(body[1:-1]) if body.startswith("(") and body.endswith(")") else [body]
    globs = tuple(map(_glob, alternatives))
    bodies = [Pattern(glob).body for glob in globs]
    is_same = [body] == bodies or body == f"({'|'.join(bodies)})"
    # A config reads a text that begins with a slash as an expression.
    return globs if is_same and all(glob and not glob.startswith("/") for glob in globs) else ()


def _glob(body: str) -> str:
    return "".join(
        _WILDCARDS[token.lastgroup] if token.lastgroup in _WILDCARDS else token["literal"] or token[0]
        for token in _TOKENS.finditer(body)
    )
