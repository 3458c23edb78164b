"""Parses the tree to expressions: `${…}` in text, `$each` and `$merge` in maps."""

from __future__ import annotations

import re

from pipegen.bindings.expression import Constant, Each, Expression, List, Map, Merge, Part, Reference, Text, text
from pipegen.bindings.github_expressions import github_hint
from pipegen.bindings.grammar import REFERENCE, UNDOTTED
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, Sequence, is_null

_REFERENCE, _UNDOTTED = re.compile(REFERENCE), re.compile(UNDOTTED)
# Expansions that belong to a shell: ${NAME:-x}, ${f%.*}, ${#list[@]}, ${!x}, ${@}.
_SHELL = r"(?:[A-Za-z_][A-Za-z0-9_]*[-:=+?#%/^,@\[]|[#!@*?$])[^\n]*?\}"
# The keys of the two operators.
_EACH, _MERGE = ("$each", "$in", "$delimiter", "$yield"), ("$merge", "$with")
_LOOP_NAME = r"[A-Za-z0-9._-]+"


def parse(node: Node, report: Report) -> Expression:
    """Return the expression of *node*; malformed references are reported and stay plain text."""
    match node:
        case Scalar():
            return parse_text(node, report) if node.kind is ScalarKind.TEXT else _constant(node)
        case Sequence():
            return List(tuple(parse(item, report) for item in node.items), node.span)
        case Mapping():
            return _parse_mapping(node, report)


def parse_text(node: Scalar, report: Report) -> Text:
    """Return the text of *node* with its references."""
    if "${" not in node.text:
        return Text((node.text,) if node.text else (), node.span)
    parts: list[Part] = []
    end = 0
    while (start := node.text.find("${", end)) >= 0:
        parts.append(node.text[end:start])
        dotted = _REFERENCE.match(node.text, start + 2)
        match = dotted or _UNDOTTED.match(node.text, start + 2)
        is_escaped = start > end and node.text[start - 1] == "$"
        if match is None and (re.compile(_SHELL).match(node.text, start + 2) or not is_escaped):
            parts.append("${")
            end = start + 2
            _check_shell(node, start, report)
        elif match is None or (is_escaped and dotted):
            parts[-1] = node.text[end : start - 1]
            end = match.end() if match else start + 2
            parts.append(node.text[start:end])
        else:
            end = match.end()
            parts.append(_reference(node, start, match))
    parts.append(node.text[end:])
    return text(*parts, span=node.span)


def _reference(node: Scalar, start: int, match: re.Match[str]) -> Reference:
    groups, span = match.groupdict(), node.part(start, match.end())
    return Reference(
        groups.get("namespace"), match["name"], match["default"], span, combinations=groups.get("combinations")
    )


def _check_shell(node: Scalar, start: int, report: Report) -> None:
    if re.compile(_SHELL).match(node.text, start + 2):
        return
    sign = "}}" if node.text.startswith("${{", start) else "}"
    end = node.text.find(sign, start) + len(sign) - 1
    is_closed = end >= len(sign)
    known = github_hint(node.text[start + 3 : end - 1]) if is_closed and sign == "}}" else None
    report.add(
        codes.MALFORMED_REFERENCE,
        f'"{node.text[start : end + 1]}" is not a valid reference' if is_closed else "this reference is not closed",
        at=node.part(start, end + 1 if is_closed else len(node.text)),
        hint=known or 'write "${stage.name}" or "${stage.name|default}"; for the text itself, write "$${"',
    )


def _constant(node: Scalar) -> Constant:
    value = node.value
    if value is None or isinstance(value, str):
        return Constant(None, "", node.span)
    return Constant(value, node.text, node.span)


def _parse_mapping(node: Mapping, report: Report) -> Expression:
    if node.entry("$each") is not None:
        _check_keys(node, _EACH, report)
        return _parse_each(node, report)
    left, right = node.get("$merge"), node.get("$with")
    if left is not None and right is not None:
        _check_keys(node, _MERGE, report)
        return Merge(parse(left, report), parse(right, report), node.span)
    return Map(tuple((parse_text(entry.key, report), parse(entry.value, report)) for entry in node.entries), node.span)


def _check_keys(node: Mapping, known: tuple[str, ...], report: Report) -> None:
    """Report keys of the operator *node* other than *known*: the schema does not check keys inside operators."""
    for entry in node.entries:
        if entry.key.text not in known:
            suggested = suggestion(entry.key.text, known)
            report.add(
                codes.UNKNOWN_KEY,
                f'unknown key "{entry.key.text}" next to "{known[0]}"',
                at=entry.key.span,
                label=f'did you mean "{suggested}"?' if suggested else "no such key",
                hint=f'rename it to "{suggested}"' if suggested else f"only the keys {listed(known)} are allowed here",
            )


def _parse_each(node: Mapping, report: Report) -> Each:
    variable, source, delimiter, body = (node.get(key) for key in ("$each", "$in", "$delimiter", "$yield"))
    names = _names(variable, node, report)
    return Each(
        tuple(name.text for name in names),
        isinstance(variable, Sequence),
        parse(source, report) if source is not None else Text((), node.span),
        _delimiters(delimiter, report),
        parse(body, report) if body is not None else _items(names, node),
        node.span,
    )


def _names(variable: Node | None, each: Mapping, report: Report) -> list[Scalar]:
    """Return the names that *each* binds, at least one; invalid names are reported.

    The schema does not check values inside `$merge`.
    """
    names: list[Scalar] = []
    for name in variable.items if isinstance(variable, Sequence) else (variable,):
        if isinstance(name, Scalar):
            names.append(name)
        if not isinstance(name, Scalar) or not re.fullmatch(_LOOP_NAME, name.text):
            shown = f'"{name.text}"' if isinstance(name, Scalar) else "this"
            report.add(
                codes.INVALID_VARIABLE,
                f'{shown} is not a valid name for "$each"',
                at=name.span if name is not None else each.span,
                hint='use letters, digits, "_", "-" and "."',
            )
    if isinstance(variable, Sequence) and not variable.items:
        report.add(
            codes.INVALID_VARIABLE,
            '"$each" has no name',
            at=variable.span,
            hint='write a name for the item, which "$yield" can read',
        )
    return names or [Scalar("", each.span)]


def _delimiters(node: Node | None, report: Report) -> str:
    """Return the characters to split at; a line break by default."""
    if not isinstance(node, Scalar) or is_null(node):
        return "\n"
    if "${" in node.text:
        report.add(
            codes.EXPECTED_TEXT,
            '"$delimiter" cannot contain references',
            at=node.span,
            hint="write the characters to split at",
        )
    return node.text or "\n"


def _items(names: list[Scalar], node: Mapping) -> Text:
    """Return the body of an `$each` without `$yield`: the item, or its words separated by spaces."""
    parts: list[Part] = []
    for name in names:
        parts += [" " if parts else "", Reference("", name.text, None, name.span)]
    return text(*parts, span=node.span)
