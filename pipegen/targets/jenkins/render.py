"""The model as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from textwrap import indent

from pipegen.emit.groovy import block, exact_block, several_lines
from pipegen.emit.header import header, options_note
from pipegen.emit.template import render as render_template
from pipegen.targets.base import Request
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import FILTERS, comment, script, statement
from pipegen.targets.jenkins.stages.lower_stages import Style

_TEMPLATES = {model.Declarative: "jenkins/declarative.j2", model.ScriptedPipelines: "jenkins/scripted.j2"}
_INDENT = "    "
# A placeholder for a script until its step has an indentation, and for a table, which is not indented. No
# literal and no comment contains this character.
_PLACEHOLDER = "\0"
# The markers of YAML that are only at the start of a line.
_DOCUMENT = re.compile(r"^(---|[.]{3}|%)", re.MULTILINE)
_PLACEHOLDERS = re.compile(r"^( *)([^\0\n]*)\0(\d+)\0", re.MULTILINE)


def render(file: model.Jenkinsfile, source: str, omitted: Collection[str] = ()) -> str:
    """Return the text of *file* without *omitted* statements and heads; the header names the config *source*."""
    renderers: list[Callable[[str], str]] = []
    filters = {
        **FILTERS,
        "indented": _indented,
        "script": lambda sh: _placeholder(partial(script, sh), renderers),
        "statement": lambda text: "" if text in omitted else _statement(text, renderers),
        "head": lambda text: "" if text in omitted else text,
        "manifest": lambda text: _placeholder(partial(_manifest, text), renderers),
        "verbatim": lambda text: _placeholder(lambda _: text, renderers),
        "table": lambda text: _placeholder(lambda _: several_lines(text), renderers),
    }
    text = render_template(_TEMPLATES[type(file.body)], filters=filters, file=file, body=file.body)
    body = _PLACEHOLDERS.sub(lambda mark: mark[1] + mark[2] + renderers[int(mark[3])](mark[1]), _tidy(text))
    return _with_header(source, file.notes, body)


def render_nothing(request: Request) -> str:
    """Return the file of a config without stages, in the style of *request*: it takes no agent, and succeeds."""
    style = request.options.get("style", "auto")
    is_scripted = style == Style.SCRIPTED.value
    body = render_template(
        "jenkins/nothing.j2", filters=FILTERS, is_scripted=is_scripted, words=f"{request.source} has no stages."
    )
    notes = (*options_note(request.selected, request.fixed_inputs), *((f"Style: {style}.",) if style != "auto" else ()))
    return _with_header(request.source, notes, body)


def _with_header(source: str, notes: Sequence[str], body: str) -> str:
    """Return *body* after the comments at the start of a file, which name the config *source*."""
    return "".join(f"// {comment(line)}\n" for line in header(source, notes, body)) + "\n" + body


def _placeholder(renderer: Callable[[str], str], renderers: list[Callable[[str], str]]) -> str:
    """Return a placeholder for the text that *renderer* returns for an indentation."""
    renderers.append(renderer)
    return f"{_PLACEHOLDER}{len(renderers) - 1}{_PLACEHOLDER}"


def _statement(text: str, renderers: list[Callable[[str], str]]) -> str:
    return _placeholder(partial(statement, text), renderers) if "\n" in text else text


def _manifest(text: str, margin: str) -> str:
    """Return the expression of a manifest in YAML, indented if that keeps its meaning."""
    return exact_block(text) if _DOCUMENT.search(text) else block(text, margin)


def _indented(text: str) -> str:
    """Return the lines of *text* indented by one step, without empty lines at its ends."""
    return indent(text.strip("\n"), _INDENT)


def _tidy(text: str) -> str:
    """Return *text* with at most one empty line between others, and none inside the ends of brackets."""
    text = re.sub(r"\n{3,}", "\n\n", text.strip("\n") + "\n")
    text = re.sub(r"([{\[])\n\n", r"\1\n", text)
    return re.sub(r"\n\n( *[}\]])", r"\n\1", text)
