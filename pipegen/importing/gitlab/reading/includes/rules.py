"""The rules of includes, which decide about the files in a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from pipegen.importing.gitlab.reading.expressions.formulas import (
    FALSE,
    TRUE,
    Formula,
    every,
    negated,
    some,
    tested_names,
    tests_in,
)
from pipegen.importing.gitlab.reading.expressions.parser import ExpressionError, parsed
from pipegen.importing.gitlab.reading.tree import flat_items, text_of
from pipegen.source.tree import Entry, Node, entries_of
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


def tested_variables(rules: Sequence[IncludeRule]) -> Iterator[str]:
    """Yield the variables that *rules* of an include test: those of the file have no value there."""
    for rule in rules:
        for test in tests_in(parsed(rule.condition)) if rule.condition else ():
            yield from tested_names(test)
