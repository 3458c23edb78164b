"""Groovy of the user before the stages of a Jenkinsfile."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.tree import Mapping

_KEY = "definitions"
_FUNCTION = re.compile(r"^[A-Za-z][\w<>\[\], ]* (\w+)\([^()]*\) \{$", re.MULTILINE)


def check_definitions(text: str, rendered: str, section: Mapping | None, report: Report) -> None:
    """Report definitions with the *text* that are not complete, or that the *rendered* file has, too."""
    node = section.get(_KEY) if section is not None else None
    if node is None:
        return
    try:
        code = GroovyTokens(text)
    except UnreadableError as error:
        message = f'"{_KEY}" is not complete Groovy: {error}'
        report.add(codes.RAW_REFUSED, message, at=node.span, hint="close all brackets and quotes")
        return
    index, names = 0, []
    while index < code.size:
        following = code.tokens[index + 1].text
        if code.word(index) in ("pipeline", "node", "stage") and following in ("{", "("):
            message = f'"{_KEY}" has a block "{code.word(index)}"'
            report.add(codes.RAW_REFUSED, message, at=node.span, hint="write stages in the config")
        if index > 0 and code.word(index - 1) and code.word(index) and following == "(":
            names.append(code.word(index))
        index = code.skip(index)
    own = frozenset(_FUNCTION.findall(rendered.replace(text, "", 1)))
    for name in names:
        if name in own:
            message = f'"{_KEY}" has a function "{name}", and so has the generated file'
            report.add(codes.RAW_REFUSED, message, at=node.span, hint="give it another name")
