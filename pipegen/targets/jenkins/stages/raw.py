"""Groovy that the user writes for Jenkins only."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job
from pipegen.readback.errors import UnreadableError
from pipegen.readback.groovy import GroovyTokens
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence, as_items, child, entries_of, items_of
from pipegen.targets.jenkins import model

_TARGET = "jenkins"
_WRAP = "wrap"
# The name of a step, possibly a method of a variable.
NAME = r"[A-Za-z_]\w*([.]\w+)*"
# The head of a block, with "w" for a name and "(" for arguments in parentheses.
_HEAD = r"w([.]w)*([(]([.]w)+)*[(]?"


def wrapped(job: Job, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps* inside the block steps of *job*, the first outermost."""
    if steps and job.raw:
        for head in reversed(heads(job)):
            steps = (model.Wrapped(head, steps, is_copied=True),)
    return steps


def heads(job: Job) -> tuple[str, ...]:
    """Return the block steps around those of *job*, the first outermost."""
    heads_of_blocks = items_of(child(job.raw_for(_TARGET), _WRAP))
    return tuple(head.text.strip() for head in heads_of_blocks if isinstance(head, Scalar))


def check_raw(job: Job, report: Report) -> None:
    """Report `raw` entries of *job* for Jenkins that are not heads of block steps."""
    for entry in entries_of(job.raw_for(_TARGET)):
        key = entry.key.text
        if key != _WRAP:
            report.add(
                codes.RAW_REFUSED,
                f'"raw" has no key "{key}" for Jenkins',
                at=entry.key.span,
                hint='move it to the key "steps" of the stage: "steps: {jenkins: […], elsewhere: skip}"'
                if key == "steps"
                else 'use "wrap" for steps around those of the stage',
            )
            continue
        for item in as_items(entry.value):
            if not isinstance(entry.value, Sequence) or not _is_head(item):
                report.add(
                    codes.RAW_REFUSED,
                    "this is not a Jenkins step with a block",
                    at=item.span,
                    hint="write the step without its braces, on one line, such as \"ansiColor('xterm')\"",
                )


def _is_head(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is ScalarKind.TEXT and is_head(node.text.strip())


def is_head(text: str) -> bool:
    """Return whether *text* is the head of a block on one line: a call with parentheses, of a method too, or a name."""
    if "\n" in text or "\r" in text:
        return False
    try:
        code = GroovyTokens(text)
    except UnreadableError:
        return False
    form, index = "", 0
    while index < code.size:
        token = code.tokens[index]
        form += "w" if re.match(r"[A-Za-z_]", code.word(index)) else token.text
        index = code.skip(index)
    return re.fullmatch(_HEAD, form) is not None and not _has_comments(text, code)


def _has_comments(text: str, code: GroovyTokens) -> bool:
    """Return whether *text* has comments, a blank at its end, or backslashes outside texts."""
    end = 0
    for token in code.tokens[: code.size]:
        if token.text == "\\" or text[end : token.start].strip(" \t"):
            return True
        end = token.end
    return end < len(text)
