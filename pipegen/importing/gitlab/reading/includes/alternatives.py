"""Jobs that several files define of which a run has only some: a job of its own for each set of these files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import product
from pathlib import PurePosixPath

from pipegen.importing.accounting import Accounting
from pipegen.importing.gitlab.reading.expressions.formulas import every
from pipegen.importing.gitlab.reading.expressions.satisfiable import can_hold
from pipegen.importing.gitlab.reading.includes.rules import ConditionalInclude, IncludeRule, is_included, opposite
from pipegen.importing.gitlab.reading.tree import TagReference, flat_items, merged_maps, text_of, texts_of
from pipegen.numbering import unique_name
from pipegen.source.tree import Entry, Node, child, children
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, replace

# More of them would make too many jobs.
_MOST_INCLUDES = 3
_PIPELINE_FILE = ".gitlab-ci"


class KeyDefinition(Struct):
    """The *entry* of a key at the top level of a file, and the numbers of the conditional *includes* that bring it."""

    entry: Entry
    includes: tuple[int, ...]


class Alternative(Struct):
    """The *entry* of a job, and the *rules* of includes that all must hold in its runs."""

    entry: Entry
    rules: tuple[tuple[IncludeRule, ...], ...]


def alternatives_of(
    definitions: Sequence[KeyDefinition],
    includes: Sequence[ConditionalInclude],
    taken: set[str],
    accounting: Accounting,
) -> tuple[Alternative, ...]:
    """Return a job for each set of *definitions* of one job that a run can have; () if a config cannot have them.

    The names of jobs of conditional *includes* end with those of the files, and are added to *taken*.
    """
    numbers = list(dict.fromkeys(number for each in definitions for number in each.includes))
    rules = {number: includes[number].rules or () for number in numbers}
    if len(numbers) > _MOST_INCLUDES or any(len(each.includes) > 1 for each in definitions):
        return ()
    result: list[Alternative] = []
    original = definitions[0].entry.key.text
    sets = product((True, False), repeat=len(numbers))
    for values in sorted(sets, key=sum):
        chosen = [number for number, is_chosen in zip(numbers, values, strict=True) if is_chosen]
        parts = [each.entry for each in definitions if set(each.includes) <= set(chosen)]
        own = tuple(_rules(chosen, rules))
        if parts and can_hold(every(*map(is_included, own))):
            name = "-".join((original, *(_title(includes[number].names[0]) for number in chosen)))
            key = replace(parts[-1].key, text=unique_name(name, taken) if chosen else original)
            maps = [part.value if isinstance(part.value, TreeMapping) else _empty(part) for part in parts]
            merged = reduce(lambda base, over: merged_maps(base, over, accounting), maps)
            result.append(Alternative(Entry(key, merged), own))
    if len(result) == 1:
        entry = result[0].entry
        return (replace(result[0], entry=Entry(replace(entry.key, text=original), entry.value)),)
    return tuple(result)


def _empty(part: Entry) -> TreeMapping:
    return TreeMapping((), part.value.span)


def _rules(chosen: Sequence[int], rules: Mapping[int, tuple[IncludeRule, ...]]) -> Iterator[tuple[IncludeRule, ...]]:
    """Yield the rules of the includes *chosen*, and the opposites of those of others that can hold beside them."""
    whole = every(*(is_included(rules[number]) for number in chosen))
    for number, own in rules.items():
        if number in chosen:
            yield own
        elif can_hold(every(whole, is_included(own))):
            yield opposite(own)


def _title(path: str) -> str:
    """Return what the file at *path* adds to the name of a job."""
    file = PurePosixPath(path)
    stem = file.name.removesuffix(file.suffix).removesuffix(_PIPELINE_FILE).strip(".")
    return stem or file.parent.name


def named_in_keys(tree: TreeMapping) -> frozenset[str]:
    """Return the jobs whose keys others in *tree* get, that stop an environment, or that generate a pipeline."""
    names: set[str] = set()
    waiting: list[Node] = []
    for entry in tree.entries:
        names.update(texts_of(child(entry.value, "extends")))
        names.add(text_of(child(child(entry.value, "environment"), "on_stop")))
        names.update(
            text_of(child(item, "job")) for item in flat_items(child(child(entry.value, "trigger"), "include"))
        )
        waiting.append(entry.value)
    while waiting:
        node = waiting.pop()
        if isinstance(node, TagReference):
            names.update(map(text_of, node.items[:1]))
        waiting += children(node)
    return frozenset(names)
