"""Groovy that the user writes for Jenkins only."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job
from pipegen.source.tree import Node, Scalar, ScalarKind, Sequence
from pipegen.targets.jenkins import model

_TARGET = "jenkins"
_WRAP = "wrap"
# The name of a step, possibly a method of a variable.
NAME = r"[A-Za-z_]\w*([.]\w+)*"
# The head of a block: a name, possibly of a variable's method, and the arguments in parentheses.
_HEAD = rf"{NAME}([ \t]*[(][^\r\n]*[)])?"
# A comment, and a character that Groovy allows only in texts.
_ODD = ("//", "\\")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def wrapped(job: Job, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps* inside the block steps of *job*, the first outermost."""
    if steps and job.raw:
        for head in reversed(heads(job)):
            steps = (model.Wrapped(head, steps),)
    return steps


def heads(job: Job) -> tuple[str, ...]:
    """Return the block steps around those of *job*, the first outermost."""
    return tuple(head.text.strip() for head in _items(job, _WRAP))


def check_raw(job: Job, report: Report) -> None:
    """Report `raw` entries of *job* for Jenkins that are not heads of block steps."""
    for target, keys in job.raw:
        if target != _TARGET:
            continue
        for entry in keys.entries:
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
            items = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
            for item in items:
                if not isinstance(entry.value, Sequence) or not _is_head(item):
                    report.add(
                        codes.RAW_REFUSED,
                        "this is not a Jenkins step with a block",
                        at=item.span,
                        hint="write the step without its braces, on one line, such as \"ansiColor('xterm')\"",
                    )


def _items(job: Job, key: str) -> Iterator[Scalar]:
    for target, keys in job.raw:
        node = keys.get(key) if target == _TARGET else None
        if isinstance(node, Sequence):
            yield from (item for item in node.items if isinstance(item, Scalar))


def _is_head(node: Node) -> bool:
    return isinstance(node, Scalar) and node.kind is ScalarKind.TEXT and is_head(node.text.strip())


def is_head(text: str) -> bool:
    """Return whether *text* is the head of a block on one line, with balanced brackets."""
    return (
        re.fullmatch(_HEAD, text) is not None and not any(sign in _outside(text) for sign in _ODD) and _is_closed(text)
    )


def _is_closed(text: str) -> bool:
    open_brackets: list[str] = []
    for character in _outside(text):
        if character in _BRACKETS:
            open_brackets.append(_BRACKETS[character])
        elif character in _BRACKETS.values() and (not open_brackets or open_brackets.pop() != character):
            return False
    return not open_brackets and text[-1] not in "},;"


def _outside(text: str) -> str:
    """Return *text* without quoted texts; an unclosed quote becomes an unclosed bracket."""
    unquoted, quote, index = "", "", 0
    while index < len(text):
        character = text[index]
        if quote:
            if character == "\\":
                index += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        else:
            unquoted += character
        index += 1
    return f"{unquoted}(" if quote else unquoted
