"""The model to text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from textwrap import indent

from pipegen.emit.groovy import several_lines
from pipegen.emit.header import header
from pipegen.emit.template import render as render_template
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import FILTERS, comment, script

_TEMPLATES = {model.Declarative: "jenkins/declarative.j2", model.ScriptedPipelines: "jenkins/scripted.j2"}
_INDENT = "    "
# Stands for a script until it is known how deep its step stands, and for a table, which is laid out already. No literal
# and no comment holds this character.
_MARK = "\0"
_MARKED = re.compile(r"^( *)([^\0\n]*)\0(\d+)\0", re.MULTILINE)


def render(file: model.Jenkinsfile, source: str) -> str:
    """Return the text of *file*, made from the config *source*."""
    kept: list[Callable[[str], str]] = []
    filters = {
        **FILTERS,
        "indented": _indented,
        "script": lambda sh: _mark(partial(script, sh), kept),
        "table": lambda text: _mark(lambda _: several_lines(text), kept),
    }
    text = render_template(_TEMPLATES[type(file.body)], filters=filters, file=file, body=file.body)
    body = _MARKED.sub(lambda mark: mark[1] + mark[2] + kept[int(mark[3])](mark[1]), _tidy(text))
    lines = header(source, file.notes, body)
    return "".join(f"// {comment(line)}\n" for line in lines) + "\n" + body


def _mark(written: Callable[[str], str], kept: list[Callable[[str], str]]) -> str:
    """Return what stands for what is *written* once its margin is known."""
    kept.append(written)
    return f"{_MARK}{len(kept) - 1}{_MARK}"


def _indented(text: str) -> str:
    """Return the lines of *text* one step deeper, none empty at its ends."""
    return indent(text.strip("\n"), _INDENT)


def _tidy(text: str) -> str:
    """Return *text* with one empty line at most between others, and none at the ends of what brackets enclose."""
    text = re.sub(r"\n{3,}", "\n\n", text.strip("\n") + "\n")
    text = re.sub(r"([{\[])\n\n", r"\1\n", text)
    return re.sub(r"\n\n( *[}\]])", r"\n\1", text)
