"""The inputs that the header of a file declares, and their values where the file is included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.expressions.formulas import Facts, holds
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.tree import INPUT, FileTree, flat_items, text_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, child, entries_of, is_null
from pipegen.source.tree import Sequence as TreeSequence

_NO_FACTS = Facts(variables={})
# Texts of an expression, which contain no inputs, and inputs.
_TEXT_OR_INPUT = re.compile(rf"\"[^\"]*\"|'[^']*'|{INPUT.pattern}")


def values_of_inputs(
    content: FileTree, arguments: Mapping[str, Node], accounting: Accounting, report: Report
) -> dict[str, Node]:
    """Return the values of the inputs of a file that is included with *arguments*: others have their defaults."""
    values = dict(arguments)
    types: dict[str, str] = {}
    for name, declaration in _inputs(content):
        types[name] = text_of(declaration.get("type")) or "string"
        rules = declaration.entry("rules")
        if name in values and not (rules is not None and text_of(values[name]) == ""):
            continue
        default = declaration.get("default")
        if rules is not None:
            try:
                by_rules = _default_by_rules(rules.value, values, types)
                default = default if by_rules is None else by_rules
            except ExpressionError:
                accounting.mark(rules, KeyOutcome.REPORTED)
                report.add(
                    codes.NOT_IMPORTED,
                    f'the rules of the input "{name}" are left out: '
                    + ("it has its default" if default is not None else "it has no value"),
                    at=rules.key.span,
                    hint="write a value where the file is included",
                )
        if default is not None:
            values[name] = default
    return values


def _default_by_rules(rules: Node, values: Mapping[str, Node], types: Mapping[str, str]) -> Node | None:
    """Return the default in the first of *rules* that holds with *values* of other inputs, which have *types*.

    It is empty if none holds: `Ci::Inputs::RulesEvaluator` in `lib/ci/inputs/rules_evaluator.rb` of GitLab.
    """
    for rule in flat_items(rules):
        keys = rule if isinstance(rule, TreeMapping) else TreeMapping((), rule.span)
        condition = keys.get("if")
        if is_null(condition) or holds(parsed(_with_literals(text_of(condition), values, types)), _NO_FACTS):
            return keys.get("default")
    return Scalar("", rules.span)


def _with_literals(expression: str, values: Mapping[str, Node], types: Mapping[str, str]) -> str:
    """Return *expression* with literals for inputs; raise `ExpressionError` if one has no literal."""

    def literal(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            return match[0]
        value = values.get(name)
        text = text_of(value)
        if match[2] or not isinstance(value, Scalar) or types.get(name) not in ("string", "boolean") or '"' in text:
            raise ExpressionError(match[0])
        return text if types[name] == "boolean" else f'"{text}"'

    return _TEXT_OR_INPUT.sub(literal, expression)


def _inputs(content: FileTree) -> Iterator[tuple[str, TreeMapping]]:
    """Yield the inputs that the header of a file declares."""
    spec = (content.header or content.tree).get("spec")
    for entry in entries_of(child(spec, "inputs")):
        if isinstance(entry.value, TreeMapping):
            yield entry.key.text, entry.value


def report_inputs(content: FileTree, values: Mapping[str, Node], accounting: Accounting, report: Report) -> None:
    """Report the inputs of the main file, which users set when they start a pipeline: the config has none of them."""
    spec = (content.header or content.tree).get("spec")
    declared = spec.entry("inputs") if isinstance(spec, TreeMapping) else None
    if declared is None or not entries_of(declared.value):
        return
    accounting.mark(declared, KeyOutcome.REPORTED)
    for entry in entries_of(declared.value):
        name = entry.key.text
        default = values.get(name)
        shown = f' "{text_of(default)}"' if isinstance(default, Scalar) else ""
        has_value = "no value for it" if default is None else f"only its default{shown}"
        report.add(
            codes.NOT_IMPORTED,
            f'the input "{name}" is left out: the config has {has_value}',
            at=entry.key.span,
            hint=f'add it to "inputs", and write "${{inputs.{name}}}" in place of its value',
        )


def report_unknown_inputs(tree: TreeMapping, report: Report) -> None:
    """Report references to inputs in *tree* that are still there: the value is unknown, or a function."""
    waiting: list[Node] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case TreeMapping():
                waiting += [part for entry in reversed(node.entries) for part in (entry.value, entry.key)]
            case TreeSequence():
                waiting += reversed(node.items)
            case Scalar() if (match_ := INPUT.search(node.text)) is not None:
                report.add(
                    codes.NOT_IMPORTED,
                    f'"{match_[0]}" stays text: ' + ("its function" if match_[2] else "its value") + " is unknown",
                    at=node.span,
                    hint="write the value",
                )
