"""Jobs that several files define of which a run has only some: a job of its own for each set of these files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import reduce
from itertools import product
from pathlib import PurePosixPath

from pipegen.importing.accounting import Accounting, KeyOutcome
from pipegen.importing.gitlab.reading.expressions.formulas import every
from pipegen.importing.gitlab.reading.expressions.satisfiable import can_hold
from pipegen.importing.gitlab.reading.includes.rules import (
    AnyInclude,
    ConditionalInclude,
    is_one_included,
    opposite,
)
from pipegen.importing.gitlab.reading.missing import OWN_WORK
from pipegen.importing.gitlab.reading.tree import TagReference, flat_items, merged_maps, text_of, texts_of
from pipegen.numbering import unique_name
from pipegen.source.tree import Entry, Node, child, children
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.structs import Struct, replace

# More of them would make too many jobs.
_MOST_PARTS = 3
_PIPELINE_FILE = ".gitlab-ci"


class KeyDefinition(Struct):
    """The *entry* of a key at the top level of a file, and the numbers of the conditional *includes* that bring it."""

    entry: Entry
    includes: tuple[int, ...]


class Alternative(Struct):
    """The *entry* of a job, and the *rules* of includes: in its runs, one of each group brings a file with the job."""

    entry: Entry
    rules: tuple[AnyInclude, ...]


class _Part(Struct):
    """The *entry* of a job in files that all have the same one, and the *numbers* of their includes.

    There are none for a file that is always in the pipeline.
    """

    entry: Entry
    numbers: tuple[int, ...]


def alternatives_of(
    definitions: Sequence[KeyDefinition],
    includes: Sequence[ConditionalInclude],
    taken: Collection[str],
    accounting: Accounting,
) -> tuple[Alternative, ...]:
    """Return a job for each set of *definitions* of one job that a run can have; () if a config cannot have them.

    The names of jobs of conditional *includes* end with those of the files; others are *taken*.
    """
    names = set(taken)
    parts = _parts(definitions, accounting)
    rules = [tuple(includes[number].rules or () for number in part.numbers) for part in parts]
    if not _can_have_conditions(definitions, rules):
        return ()
    result: list[Alternative] = []
    original = definitions[0].entry.key.text
    sets = product(*(((True, False) if part.numbers else (True,)) for part in parts))
    for values in sorted(sets, key=sum):
        chosen = [part for part, is_chosen in zip(parts, values, strict=True) if is_chosen]
        own = tuple(_rules(values, rules))
        if chosen and can_hold(every(*map(is_one_included, own))):
            name = "-".join((original, *(_title(part, includes, original) for part in chosen if part.numbers)))
            key = replace(chosen[-1].entry.key, text=original if name == original else unique_name(name, names))
            maps = [part.entry.value for part in chosen if isinstance(part.entry.value, TreeMapping)]
            merged = reduce(lambda base, over: merged_maps(base, over, accounting), maps)
            result.append(Alternative(Entry(key, merged), own))
    if len(result) == 1:
        entry = result[0].entry
        return (replace(result[0], entry=Entry(replace(entry.key, text=original), entry.value)),)
    return tuple(result)


def _parts(definitions: Sequence[KeyDefinition], accounting: Accounting) -> list[_Part]:
    """Return the different *definitions*: several includes can bring the same file, or files with the same job."""
    parts: list[_Part] = []
    for each in definitions:
        last = parts[-1] if parts else None
        if last is not None and last.entry.value == each.entry.value:
            accounting.mark(each.entry, KeyOutcome.TRANSLATED)
            numbers = (*last.numbers, *each.includes) if last.numbers and each.includes else ()
            parts[-1] = replace(last, numbers=numbers)
        else:
            parts.append(_Part(each.entry, each.includes))
    return parts


def _can_have_conditions(definitions: Sequence[KeyDefinition], rules: Sequence[AnyInclude]) -> bool:
    """Return whether jobs can have the conditions of *definitions*, *rules*, also as rules of GitLab.

    Of several includes, at most one may exclude files, because GitLab has no negation.
    """
    is_nested = any(len(each.includes) > 1 for each in definitions)
    number = sum(map(bool, rules))
    excluding = [sum(any(rule.excludes for rule in each) for each in group) for group in rules]
    is_map = all(isinstance(each.entry.value, TreeMapping) for each in definitions)
    return is_map and not is_nested and number <= _MOST_PARTS and max(excluding) <= 1


def _rules(values: Sequence[bool], rules: Sequence[AnyInclude]) -> Iterator[AnyInclude]:
    """Yield the *rules* of the parts whose *values* are true, and the opposites of those of others beside them."""
    chosen = [own for value, own in zip(values, rules, strict=True) if value and own]
    yield from chosen
    whole = every(*map(is_one_included, chosen))
    for value, own in zip(values, rules, strict=True):
        if not value and can_hold(every(whole, is_one_included(own))):
            yield from ((opposite(each),) for each in own)


def _title(part: _Part, includes: Sequence[ConditionalInclude], job: str) -> str:
    """Return what *part* adds to the name of *job*: the name of the file of its include, or of its own for several.

    Without the start of the name if this is the one of the job.
    """
    path = includes[part.numbers[0]].names[0] if len(part.numbers) == 1 else part.entry.key.span.file.path
    file = PurePosixPath(path)
    stem = file.name.removesuffix(file.suffix).removesuffix(_PIPELINE_FILE).strip(".")
    is_same = stem.replace("_", "-").startswith(f"{job.replace('_', '-')}-")
    return (stem[len(job) + 1 :] if is_same else stem) or file.parent.name


def is_whole(job: Entry) -> bool:
    """Return whether no part of *job* is likely in another file: it has its own stage, and says what it does."""
    return child(job.value, "stage") is not None and any(child(job.value, key) is not None for key in OWN_WORK)


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
