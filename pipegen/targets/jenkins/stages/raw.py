"""What the user writes in Groovy, for Jenkins alone."""

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
# What may stand before a block: a name, perhaps of a variable's method, and the arguments in brackets.
_CALL = r"[A-Za-z_]\w*([.]\w+)*([ \t]*[(][^\r\n]*[)])?"
# A comment, and what Groovy knows in texts alone.
_ODD = ("//", "\\")
_BRACKETS = {"(": ")", "[": "]", "{": "}"}


def wrapped(job: Job, steps: tuple[model.Step, ...]) -> tuple[model.Step, ...]:
    """Return *steps* inside the block steps that *job* names, the first outermost."""
    if steps and job.raw:
        for head in reversed(heads(job)):
            steps = (model.Wrapped(head, steps),)
    return steps


def heads(job: Job) -> tuple[str, ...]:
    """Return the block steps that *job* names for around its own, the first outermost."""
    return tuple(head.text.strip() for head in _heads(job))


def check_raw(job: Job, report: Report) -> None:
    """Report what *job* says to Jenkins that is no head of a block step."""
    for target, keys in job.raw:
        if target != _TARGET:
            continue
        for entry in keys.entries:
            if entry.key.text != _WRAP:
                report.add(
                    codes.RAW_REFUSED,
                    f'Jenkins takes no raw key "{entry.key.text}"',
                    at=entry.key.span,
                    hint="""write "wrap: [\"ansiColor('xterm')\"]" for steps around those of the stage""",
                )
            elif not isinstance(entry.value, Sequence):
                _refuse(entry.value, report)
            else:
                for item in entry.value.items:
                    if not _is_head(item):
                        _refuse(item, report)


def _heads(job: Job) -> Iterator[Scalar]:
    for target, keys in job.raw:
        node = keys.get(_WRAP) if target == _TARGET else None
        if isinstance(node, Sequence):
            yield from (item for item in node.items if isinstance(item, Scalar))


def _refuse(node: Node, report: Report) -> None:
    report.add(
        codes.RAW_REFUSED,
        "this is no step of Jenkins that takes a block",
        at=node.span,
        hint="write the step without its braces, on one line, such as \"ansiColor('xterm')\"",
    )


def _is_head(node: Node) -> bool:
    """Return whether *node* is one line of Groovy that a block may follow: a name, and brackets that are closed."""
    if not isinstance(node, Scalar) or node.kind is not ScalarKind.TEXT:
        return False
    text = node.text.strip()
    return (
        re.fullmatch(_CALL, text) is not None and not any(sign in _outside(text) for sign in _ODD) and _is_closed(text)
    )


def _is_closed(text: str) -> bool:
    waiting: list[str] = []
    for character in _outside(text):
        if character in _BRACKETS:
            waiting.append(_BRACKETS[character])
        elif character in _BRACKETS.values() and (not waiting or waiting.pop() != character):
            return False
    return not waiting and text[-1] not in "},;"


def _outside(text: str) -> str:
    """Return *text* without what stands in quotes; an open quote stays, as a bracket that nothing closes."""
    kept, quote, at = "", "", 0
    while at < len(text):
        character = text[at]
        if quote:
            if character == "\\":
                at += 1
            elif character == quote:
                quote = ""
        elif character in "'\"":
            quote = character
        else:
            kept += character
        at += 1
    return f"{kept}(" if quote else kept
