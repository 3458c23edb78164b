"""Expressions over labels of agents, as Jenkins reads them."""

from __future__ import annotations

import re

_OPERATOR = r"&&|\|\||<?->|^\s*!|[()]"
_PART = r"\s*(?:(?P<operator>&&|\|\||<->|->)|(?P<sign>[!()])|(?P<name>(?:[A-Za-z0-9_.:/@+=#]|-(?!>))+))\s*"


def is_expression(text: str) -> bool:
    """Return whether *text* has operators of Jenkins, so that it is not a single label."""
    return re.search(_OPERATOR, text) is not None


def label_operands(text: str) -> tuple[str, ...] | None:
    """Return the operands of `&&` in the expression *text*, itself if it has other operators; None if incomplete."""
    operands = [""]
    depth, is_complete, joins = 0, False, True
    position = 0
    while position < len(text):
        token = re.compile(_PART).match(text, position)
        if token is None or not _may_follow(token, depth, is_complete=is_complete):
            return None
        position = token.end()
        word = token[0].strip()
        depth += {"(": 1, ")": -1}.get(word, 0)
        is_complete = token["name"] is not None or word == ")"
        if word == "&&" and depth == 0:
            operands.append("")
            continue
        joins = joins and (token["operator"] is None or depth > 0)
        operands[-1] += f" {word} " if token["operator"] else word
    if depth or not is_complete:
        return None
    return tuple(map(_without_parentheses, operands)) if joins else (" && ".join(operands),)


def _without_parentheses(operand: str) -> str:
    """Return *operand* without parentheses around the whole of it."""
    depth = 0
    for index, character in enumerate(operand):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return operand[1:-1] if index and index == len(operand) - 1 else operand
    return operand


def _may_follow(token: re.Match[str], depth: int, *, is_complete: bool) -> bool:
    """Return whether *token* may follow an expression that *is_complete*, or one that needs an operand."""
    if token["operator"] is not None:
        return is_complete
    if token["sign"] == ")":
        return is_complete and depth > 0
    return not is_complete
