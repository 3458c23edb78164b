"""The YAML of GitLab as a tree: `!reference`, repeated keys, headers with inputs, and merges of maps."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable
from collections.abc import Mapping as Map
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pipegen.config.read import composed
from pipegen.config.yaml.compose import Composer, OpenCollection
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import Accounting
from pipegen.readback.gitlab_file import KEYWORDS
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence, entries_of, is_null, number
from pipegen.structs import MutableStruct, Struct

_TAG = "!reference"
# Python converts no numbers of thousands of digits.
LONGEST_NUMBER = 1_000
# https://docs.gitlab.com/ci/inputs/: `$[[ inputs.name ]]`, perhaps with functions after `|`.
INPUT = re.compile(r"\$\[\[\s*inputs\.([\w-]+)\s*(\|[^\][]*)?\]\]")
_MOST_FUNCTIONS = 3
# GitLab does not reserve these keywords: `lib/gitlab/ci/config/entry/root.rb`.
_NAMES_OF_JOBS = ("default", "workflow")
_KEYS_OF_JOBS = frozenset({"script", "run", "trigger", "needs"})
# Characters that Ruby's `shellescape` does not escape.
_UNSAFE = re.compile(r"([^A-Za-z0-9_\-.,:+/@\n])")
_TRUNCATE = re.compile(r"truncate\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)")


class TagReference(Sequence):
    """The path of `!reference [job, key]`."""


class FileTree(Struct):
    """The content of a file, and the inputs that its header declares."""

    tree: Mapping
    header: Mapping | None


class _Composer(Composer):
    """Composes with GitLab's tag, and as Ruby's reader does: of repeated and of merged keys, the last one counts."""

    def __init__(self, file: SourceFile, report: Report) -> None:
        super().__init__(file, report)
        self._references: set[int] = set()

    def _begin_document(self, event: Any) -> None:
        """Accept several documents."""

    def _begin(self, kind: type[Mapping | Sequence], event: Any) -> None:
        if kind is Sequence and str(event.ctag) == _TAG:
            self._references.add(event.start_mark.index)
        super()._begin(kind, event)

    def _check_tag(self, tag: str, span: Span) -> None:
        if tag != _TAG:
            super()._check_tag(tag, span)

    def _sequence(self, opened: OpenCollection, items: tuple[Node, ...], span: Span) -> Sequence:
        kind = TagReference if opened.start in self._references else Sequence
        return kind(items, span)

    def _merge(self, sources: Iterable[Entry], entries: dict[str, Entry], merged: dict[str, Entry]) -> None:
        """Let *sources* replace the entries above the merge key, which YAML would prefer; report those that are lost.

        Psych merges into the map that it has read so far (`revive_hash` in `psych/visitors/to_ruby.rb`).
        """
        for entry in sources:
            name = entry.key.text
            if name in entries and name not in merged:
                self._report.add(
                    codes.WITHOUT_EFFECT,
                    f'the key "{name}" has no effect: GitLab prefers the one that "<<" below it merges',
                    at=entries[name].key.span,
                    related=[Label(entry.key.span, "this one counts")],
                    hint='remove it, or put "<<" first',
                )
            entries[name] = merged[name] = entry

    def _repeated(self, first: Entry, again: Entry) -> Entry:
        self._report.add(
            codes.WITHOUT_EFFECT,
            f'the key "{first.key.text}" is repeated below, and only the last one counts',
            at=first.key.span,
            hint="remove it",
        )
        return again


def read_tree(file: SourceFile, report: Report) -> FileTree:
    """Return the content of *file*; raise `Stopped` if it is not YAML or has no map."""
    documents = composed(file, report, _Composer).documents
    maps = [document for document in documents if isinstance(document, Mapping)]
    if not maps:
        report.add(
            codes.NOT_IMPORTED,
            f'"{file.path}" has no jobs',
            at=Span(file, 0, 0),
            hint="name a .gitlab-ci.yml with jobs",
        )
        raise Stopped
    has_header = len(maps) > 1 and maps[0].entry("spec") is not None
    return FileTree(maps[-1], maps[0] if has_header else None)


class ReadingLimits(Struct):
    """The most values and jobs of a pipeline that is read: a hostile file could have any number."""

    # Those of the largest real pipelines times ten, with their includes.
    values: int = 200_000
    # GitLab refuses a file of about 1,500 small jobs as too big.
    jobs: int = 1_500


READING_LIMITS = ReadingLimits()
# For files that pipegen generates.
NO_READING_LIMITS = ReadingLimits(sys.maxsize, sys.maxsize)


class ValueBudget(MutableStruct):
    """The rest of the values that a pipeline may have: what it includes, extends and references can multiply."""

    report: Report
    rest: int

    def spend(self, values: int, at: Span) -> None:
        """Subtract a number of *values*, or of hundreds of characters; raise `Stopped` if too few are left."""
        self.rest -= values
        if self.rest < 0:
            most = f"{READING_LIMITS.values:,} values"
            self.report.add(
                codes.NOT_IMPORTED,
                f"with what it includes, extends and references, the pipeline has more than {most}",
                at=at,
                hint="import its files separately, or remove values that are not used",
            )
            raise Stopped

    def spend_on(self, node: Node) -> None:
        """Subtract the size of *node*."""
        waiting = [node]
        while waiting:
            match inner := waiting.pop():
                case Scalar():
                    self.spend(1 + len(inner.text) // 100, node.span)
                case Mapping():
                    waiting += [entry.value for entry in inner.entries]
                    self.spend(len(inner.entries), node.span)
                case Sequence():
                    waiting += inner.items
                    self.spend(len(inner.items), node.span)


def with_inputs(node: Node, values: Map[str, Node], budget: ValueBudget) -> Node:
    """Return *node* with each `$[[ inputs.name ]]` of *values* replaced."""
    match node:
        case Scalar():
            return _with_inputs(node, values, budget)
        case Mapping():
            entries = [
                Entry(key if isinstance(key, Scalar) else entry.key, with_inputs(entry.value, values, budget))
                for entry in node.entries
                for key in (_with_inputs(entry.key, values, budget),)
            ]
            return Mapping(tuple(entries), node.span)
        case Sequence():
            return type(node)(tuple(with_inputs(item, values, budget) for item in node.items), node.span)


def _with_inputs(scalar: Scalar, values: Map[str, Node], budget: ValueBudget) -> Node:
    if "$[[" not in scalar.text:
        return scalar
    whole = INPUT.fullmatch(scalar.text.strip())
    if whole and not whole[2] and whole[1] in values:
        value = values[whole[1]]
        budget.spend_on(value)
        return Scalar(value.text, scalar.span, value.kind) if isinstance(value, Scalar) else value

    def replaced(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if not isinstance(value, Scalar):
            return match[0]
        budget.spend_on(value)
        text = _transformed(value, match[2] or "")
        return match[0] if text is None else text

    text = INPUT.sub(replaced, scalar.text)
    return Scalar(text, scalar.span, scalar.kind if text == scalar.text else ScalarKind.TEXT)


def _transformed(value: Scalar, functions: str) -> str | None:
    """Return the text of an input after *functions*, None if GitLab alone can evaluate them.

    https://docs.gitlab.com/ci/inputs/#specify-functions-to-manipulate-input-values
    """
    text = value.text
    names = [name.strip() for name in functions.split("|")[1:]]
    if names and (value.kind is not ScalarKind.TEXT or len(names) > _MOST_FUNCTIONS):
        return None
    for name in names:
        if (truncate := _TRUNCATE.fullmatch(name)) is not None:
            text = text[int(truncate[1]) :][: int(truncate[2])]
        elif name == "posix_escape":
            text = _UNSAFE.sub(r"\\\1", text).replace("\n", "'\n'") or "''"
        elif name != "expand_vars" or "$" in text:
            return None
    return text


def own_keys(node: Node) -> tuple[Scalar, ...]:
    """Return the keys of *node* without those that YAML merges into it."""
    outer, keys = node.span, [entry.key for entry in entries_of(node)]
    return tuple(key for key in keys if key.span.file is outer.file and outer.start <= key.span.start < outer.end)


class NamedMaps:
    """The maps of files by their names, some of which YAML merges into others."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._names: dict[str, list[tuple[int, int, str]]] = {}
        self._maps: dict[str, Node] = {}
        for entry in entries:
            span = entry.value.span
            self._maps[entry.key.text] = entry.value
            self._names.setdefault(span.file.path, []).append((span.start, span.end, entry.key.text))
        for names in self._names.values():
            names.sort()

    def merged_into(self, node: Node) -> tuple[str, ...]:
        """Return the names of the maps from which *node* has keys, the outermost first, without its own."""
        own = {id(key) for key in own_keys(node)}
        keys = [entry.key for entry in entries_of(node) if id(entry.key) not in own]
        names = [self._name_at(key.span) for key in reversed(keys)]
        return tuple(name for name in dict.fromkeys(names) if name)

    def directly_merged_into(self, node: Node) -> tuple[str, ...]:
        """Return the names of the maps that YAML merges into *node* itself, without those merged into them."""
        names = self.merged_into(node)
        inner = {name for outer in names for name in self.merged_into(self._maps[outer])}
        return tuple(name for name in names if name not in inner)

    def _name_at(self, span: Span) -> str:
        names = self._names.get(span.file.path, [])
        _, end, name = names[max(0, bisect_right(names, (span.start, sys.maxsize, "")) - 1)] if names else (0, 0, "")
        return name if span.start < end else ""


def merged(base: Node, over: Node, accounting: Accounting) -> Node:
    """Return *over* merged into *base*: maps key by key at any depth, other values are replaced."""
    if not isinstance(base, Mapping) or not isinstance(over, Mapping):
        return over
    entries = {entry.key.text: entry for entry in base.entries}
    for entry in over.entries:
        name = entry.key.text
        known = entries.get(name)
        if known is not None and isinstance(known.value, Mapping) and isinstance(entry.value, Mapping):
            accounting.merged(entry.key, known.key)
            entries[name] = Entry(entry.key, merged(known.value, entry.value, accounting))
        else:
            entries[name] = entry
    return Mapping(tuple(entries.values()), over.span)


def merged_maps(base: Mapping, over: Mapping, accounting: Accounting) -> Mapping:
    """Return the map *over* merged into *base*."""
    result = merged(base, over, accounting)
    return result if isinstance(result, Mapping) else over


def text_of(node: Node | None) -> str:
    """Return the text of a scalar as GitLab reads it: `yes` without quotes is true, and `1.10` is 1.1."""
    if not isinstance(node, Scalar):
        return ""
    match node.kind:
        case ScalarKind.BOOLEAN:
            return "true" if node.value else "false"
        case ScalarKind.INTEGER if len(node.text) <= LONGEST_NUMBER:
            return str(node.value)
        case ScalarKind.NUMBER:
            return _ruby(number(node.text))
        case ScalarKind.NULL:
            return ""
    return node.text


def _ruby(value: float) -> str:
    return str(value).replace("inf", "Infinity").replace("nan", "NaN")


def flat_items(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list at any depth, or a single value; none for null."""
    if node is None or is_null(node):
        return ()
    if not isinstance(node, Sequence):
        return (node,)
    return tuple(inner for item in node.items for inner in flat_items(item))


def texts_of(node: Node | None) -> tuple[str, ...]:
    """Return the texts of a list of scalars, or of a single one."""
    return tuple(text_of(item) for item in flat_items(node) if isinstance(item, Scalar))


def keywords_in(tree: Mapping) -> frozenset[str]:
    """Return the keywords at the top level of *tree*, without the names that it gives to jobs, as GitLab permits."""
    return KEYWORDS - {entry.key.text for entry in tree.entries if _is_named_like_a_keyword(entry)}


def _is_named_like_a_keyword(job: Entry) -> bool:
    keys = {entry.key.text for entry in entries_of(job.value)}
    return job.key.text in _NAMES_OF_JOBS and not keys.isdisjoint(_KEYS_OF_JOBS)


def common_order(lists: Iterable[Iterable[str]]) -> tuple[str, ...] | None:
    """Return all names in an order that agrees with each of *lists*, None if there is none."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for names in map(list, lists):
        for position, name in enumerate(names):
            sorter.add(name, *names[position - 1 : position])
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return None
