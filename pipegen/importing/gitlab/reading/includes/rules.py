"""The rules of includes, which decide about the files in a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from pipegen.importing.gitlab.reading.expressions.formulas import (
    FALSE,
    TRUE,
    Facts,
    Formula,
    every,
    holds,
    negated,
    some,
    tested_names,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.tree import flat_items, text_of, texts_of
from pipegen.importing.gitlab.reading.variables import Variable, variables_in
from pipegen.source.tree import Entry, Node, child, entries_of
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, replace


class IncludeRule(Struct):
    """A rule of an include, with its *condition*, "" for none; if it *excludes*, the files are not in the pipeline."""

    condition: str
    excludes: bool


# The rules of several includes, of which one must bring a file.
AnyInclude: TypeAlias = tuple[tuple[IncludeRule, ...], ...]


class ConditionalInclude(Struct):
    """The *rules* of the entry of an include of the files *names*, None if pipegen cannot read them."""

    entry: Entry
    names: tuple[str, ...]
    rules: tuple[IncludeRule, ...] | None


def include_rules(node: Node) -> tuple[IncludeRule, ...] | None:
    """Return the rules *node* of an include; None if they have keys other than `if` and `when`."""
    rules = []
    for item in flat_items(node):
        keys = {entry.key.text: text_of(entry.value) for entry in entries_of(item)}
        if not isinstance(item, TreeMapping) or not keys.keys() <= {"if", "when"}:
            return None
        condition = " ".join(keys.get("if", "").split("\n"))
        try:
            parsed(condition if "if" in keys else "$CI")
        except ExpressionError:
            return None
        rules.append(IncludeRule(condition, excludes=keys.get("when") == "never"))
    return tuple(rules)


def is_included(rules: Sequence[IncludeRule]) -> Formula:
    """Return the condition under which *rules* of an include let it bring its files."""
    result: Formula = FALSE
    for rule in reversed(rules):
        own = parsed(rule.condition) if rule.condition else TRUE
        result = every(negated(own), result) if rule.excludes else some(own, result)
    return result


def is_one_included(includes: AnyInclude) -> Formula:
    """Return the condition under which one of *includes* brings its files."""
    return some(*map(is_included, includes))


def opposite(rules: Sequence[IncludeRule]) -> tuple[IncludeRule, ...]:
    """Return the rules that hold in the runs in which *rules* of an include do not let it bring its files."""
    return (*(replace(rule, excludes=not rule.excludes) for rule in rules), IncludeRule("", excludes=False))


def variables_of_rules(tree: TreeMapping, jobs: Iterable[str]) -> Iterator[dict[str, Variable]]:
    """Yield variables that rules of *jobs* read, and rules of includes do not: those of *tree*, its workflow, a job."""
    yield variables_in(tree.get("variables"))
    for rule in flat_items(child(tree.get("workflow"), "rules")):
        yield variables_in(child(rule, "variables"))
    nodes = {entry.key.text: entry.value for entry in tree.entries}
    for job in jobs:
        pending, seen, variables = [job], set[str](), dict[str, Variable]()
        while pending:
            name = pending.pop()
            if name in nodes and name not in seen:
                seen.add(name)
                variables = variables_in(child(nodes[name], "variables")) | variables
                pending += texts_of(child(nodes[name], "extends"))
        yield variables


def depends_on(rules: Sequence[IncludeRule], variables: Mapping[str, Variable]) -> bool:
    """Return whether *rules* of an include may decide otherwise if it knew these *variables*."""
    tests = chain.from_iterable(tests_in(parsed(rule.condition)) for rule in rules if rule.condition)
    return any(_depends_on(test, variables) for test in tests)


def _depends_on(test: Formula, variables: Mapping[str, Variable]) -> bool:
    names = tested_names(test)
    texts = {name: variables[name].text for name in names if name in variables}
    if len(names) > 1 or any("$" in text for text in texts.values()):
        return bool(texts)
    return holds(test, Facts(variables=texts)) != holds(test, Facts(variables={}))
