"""Builds the tree from YAML events, without recursion: anchors, aliases, merge keys, repeated keys."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from collections.abc import Mapping as Map
from functools import partial
from typing import Any, TypeAlias

from pipegen.config.yaml.scalar import CORE_TAG, NON_TEXT_STARTS, plain_kind, tagged_kind
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, Stopped, suggestion
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence, as_items, children
from pipegen.structs import Struct, field

# A config of 10,000 stages has about 100,000 values and takes seconds; nested aliases can expand to billions.
MAX_NODES = 600_000

# Real configs stay below 20; later stages use recursion.
MAX_DEPTH = 100

# JSON escapes a character beyond U+FFFF as two surrogates; YAML reads them as two invalid characters.
_PAIR = "[\ud800-\udbff][\udc00-\udfff]"
_SURROGATE = "[\ud800-\udfff]"

# The anchor, tag or both before a value.
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")

# The dash of a list item, after blanks and comments.
_DASH = re.compile(r"(?:\s|#.*)*-")

# The tag of GitLab that inserts other values.
_REFERENCE = "!reference"
_QUOTE = 'put text that begins with "{" or "[" in quotes'


# An event of ruamel's parsers. Only `config/read.py` imports ruamel, so handlers are selected by class name.
Event: TypeAlias = Any


class OpenCollection(Struct):
    """A collection that is not closed yet; its opening token spans *start* to *head*.

    *count_before* nodes were complete when it began, and at most *max_count* may be when it ends.
    """

    kind: type[Mapping | Sequence]
    start: int
    head: int
    anchor: str | None
    count_before: int
    max_count: int
    children: list[Node] = field(default_factory=list)


class Composer:
    """Builds the tree of a file from the events of a parser."""

    def __init__(self, file: SourceFile, report: Report) -> None:
        self._document = OpenCollection(Sequence, start=0, head=0, anchor=None, count_before=0, max_count=sys.maxsize)
        # The innermost open collection, by default the file itself.
        self._innermost = self._document
        self._file = file
        self._report = report
        self._outer: list[OpenCollection] = []
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._documents = 0
        # The number of complete values; repeats by aliases count each time.
        self._count = 0

    @property
    def documents(self) -> tuple[Node, ...]:
        """The values of the documents of the file."""
        return tuple(self._document.children)

    @property
    def root(self) -> Node | None:
        """The value of the first document; None for an empty file."""
        return self._document.children[0] if self._document.children else None

    def compose(self, events: Iterable[Event]) -> None:
        """Add *events* in order; stop at the first that raises."""
        handlers: Map[str, Callable[[Event], None]] = {
            "ScalarEvent": self._scalar,
            "MappingStartEvent": partial(self._begin, Mapping),
            "MappingEndEvent": self._end,
            "SequenceStartEvent": partial(self._begin, Sequence),
            "SequenceEndEvent": self._end,
            "AliasEvent": self._alias,
            "DocumentStartEvent": self._begin_document,
        }
        for event in events:
            handler = handlers.get(type(event).__name__)
            if handler is not None:
                handler(event)

    def _begin_document(self, event: Event) -> None:
        """Report a second document."""
        self._documents += 1
        if self._documents == 2:  # noqa: PLR2004 - one report is enough
            self._report.add(
                codes.UNSUPPORTED_YAML,
                "the file has more than one YAML document",
                at=self._span(event),
                label="the second document begins here",
                hint='put all pipelines under one key "pipelines"',
            )

    def _alias(self, event: Event) -> None:
        """Add the value of an alias; raise `Stopped` if it is too deep here."""
        anchor, span = event.anchor, self._span(event)
        if any(opened.anchor == anchor for opened in (*self._outer, self._innermost)):
            self._report.add(
                codes.ALIAS_EXPANSION,
                f'"*{anchor}" is inside the value that it repeats',
                at=span,
                hint="remove it: a value cannot contain itself",
            )
            self._add(Scalar("", span, ScalarKind.NULL), 1)
        elif anchor in self._anchors:
            node, size = self._anchors[anchor]
            if len(self._outer) + _depth(node) > MAX_DEPTH + 1:
                _report_too_deep(span, self._report)
                raise Stopped
            self._add(node, size)
        else:
            self._report.add(
                codes.YAML_SYNTAX,
                f'no value above has the anchor "&{anchor}"',
                at=span,
                hint=_alias_hint(anchor, suggestion(anchor, self._anchors)),
            )
            self._add(Scalar("", span, ScalarKind.NULL), 1)

    def _scalar(self, event: Event) -> None:
        """Add a scalar; the event starts at its anchor or tag."""
        text, inner, style = event.value, self._innermost, event.style
        start, end = event.start_mark.index, event.end_mark.index
        is_plain = event.anchor is None and event.ctag is None and style != '"'
        if is_plain and start != end and self._count < inner.max_count:
            # The common case; not for double quotes, in which any character can be escaped.
            is_text = style or text[0] not in NON_TEXT_STARTS
            span = Span(self._file, start, end)
            inner.children.append(Scalar(text, span) if is_text else Scalar(text, span, plain_kind(text)))
            self._count += 1
        else:
            self._add_general(text, Span(self._file, start, end), style, event.anchor, event.ctag)

    def _add_general(self, text: str, span: Span, style: str | None, anchor: str | None, tag: object) -> None:
        """Add a scalar that may have any content, style, tag or anchor."""
        if tag is not None:
            self._check_tag(str(tag), span)
            if str(tag) == "!" and not style:
                self._report_exclamation_mark(text, span)
        text = self._join_surrogates(text, span) if re.search(_SURROGATE, text) else text
        if tag is not None and (style or text != "<<"):
            kind = tagged_kind(text, str(tag))
        else:
            kind = ScalarKind.TEXT if style else plain_kind(text)
        if "\0" in text:
            self._report.add(
                codes.NUL_CHARACTER,
                "the value contains a NUL character, which cannot be passed to programs",
                at=span,
                hint="remove it",
            )
        node = Scalar(text, self._span_without_properties(span), kind)
        if anchor is not None:
            self._anchors[anchor] = (node, 1)
        self._add(node, 1)

    def _join_surrogates(self, text: str, span: Span) -> str:
        """Return *text* with surrogate pairs, as JSON escapes them, joined to characters."""
        paired = re.sub(_PAIR, lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)
        lone = re.search(_SURROGATE, paired)
        if lone is not None:
            self._report.add(
                codes.LONE_SURROGATE,
                f'"\\u{ord(lone[0]):04x}" is only half of a character',
                at=span,
                hint="write the whole character, or its escape with \\U and eight digits",
            )
        return re.sub(_SURROGATE, "\ufffd", paired)

    def _begin(self, kind: type[Mapping | Sequence], event: Event) -> None:
        """Open a collection; raise `Stopped` if it is too deep: a parser's time grows with the depth."""
        if event.ctag is not None:
            self._check_tag(str(event.ctag), self._span(event))
        if len(self._outer) > MAX_DEPTH:
            _report_too_deep(self._span(event), self._report)
            raise Stopped
        self._outer.append(self._innermost)
        start, head, count = event.start_mark.index, event.end_mark.index, self._count
        self._innermost = OpenCollection(kind, start, head, event.anchor, count, count + MAX_NODES - 1)

    def _end(self, event: Event) -> None:
        """Close the collection that was opened last."""
        opened, self._innermost = self._innermost, self._outer.pop()
        span, children = Span(self._file, opened.start, event.end_mark.index), opened.children
        node = (
            self._mapping(children, span) if opened.kind is Mapping else self._sequence(opened, tuple(children), span)
        )
        if opened.anchor is not None:
            self._anchors[opened.anchor] = (node, self._count + 1 - opened.count_before)
        self._add(node, 1)

    def _sequence(self, _opened: OpenCollection, items: tuple[Node, ...], span: Span) -> Sequence:
        return Sequence(items, span)

    def _span(self, event: Event) -> Span:
        return Span(self._file, event.start_mark.index, event.end_mark.index)

    def _span_without_properties(self, span: Span) -> Span:
        """Return *span* without anchor and tag; a missing value has the location right after its key."""
        if span.start == span.end and self._outer:
            offset = self._offset_of_missing(self._innermost)
            return Span(self._file, offset, offset) if offset is not None else span
        properties = _PROPERTIES.match(self._file.text, span.start, span.end)
        return Span(self._file, properties.end() if properties else span.start, span.end)

    def _offset_of_missing(self, opened: OpenCollection) -> int | None:
        """Return the offset of a missing value of *opened*: after its key or dash; None if there is neither."""
        previous_end = opened.children[-1].span.end if opened.children else opened.start
        if opened.kind is Mapping:
            return previous_end if len(opened.children) % 2 else None
        dash = _DASH.match(self._file.text, previous_end)
        return dash.end() if dash else None

    def _add(self, node: Node, size: int) -> None:
        parent = self._innermost
        self._count += size
        if self._count > parent.max_count:
            self._report.add(
                codes.ALIAS_EXPANSION,
                f"with its aliases expanded, the file has more than {MAX_NODES:,} values",
                at=Span(self._file, parent.start, parent.head),
                hint="use fewer aliases: an alias of aliases multiplies",
            )
            raise Stopped
        parent.children.append(node)

    def _check_tag(self, tag: str, span: Span) -> None:
        if tag != "!" and not re.fullmatch(CORE_TAG, tag):
            self._report.add(
                codes.UNSUPPORTED_YAML,
                f'the tag "{tag}" is not supported',
                at=span,
                hint='put the lines that it repeats in "before" of a template, and extend that template'
                if tag == _REFERENCE
                else 'remove it, or put text that begins with "!" in quotes',
            )

    def _report_exclamation_mark(self, text: str, span: Span) -> None:
        """Report a command such as `! grep x`, of which YAML would drop the first character."""
        self._report.add(
            codes.UNSUPPORTED_YAML,
            'YAML reads "!" at the start of a value as a tag and drops it',
            at=span,
            hint="put the value in quotes: '! " + text.replace("'", "''") + "'",
        )

    def _mapping(self, children: list[Node], span: Span) -> Mapping:
        entries: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        nodes = iter(children)
        for key in nodes:
            value = next(nodes)
            if type(key) is not Scalar:
                self._report.add(
                    codes.UNSUPPORTED_YAML, "a key must be text, not a list or a map", at=key.span, hint=_QUOTE
                )
            elif (name := key.text) == "<<" and key.kind is ScalarKind.NULL:
                self._merge(self._merged(key, value), entries, merged)
            elif name in entries and merged.pop(name, None) is None:
                entries[name] = self._repeated(entries[name], Entry(key, value))
            else:
                entries[name] = Entry(key, value)
        return Mapping(tuple(entries.values()), span)

    def _merge(self, sources: Iterable[Entry], entries: dict[str, Entry], merged: dict[str, Entry]) -> None:
        """Add the entries *sources* of a merge key to *entries* and to *merged*, unless *entries* has their keys."""
        added = {entry.key.text: entry for entry in sources if entry.key.text not in entries}
        entries |= added
        merged |= added

    def _merged(self, key: Scalar, value: Node) -> list[Entry]:
        """Return the entries of a merge key; if several maps have a key, the first map wins."""
        entries: dict[str, Entry] = {}
        for source in as_items(value):
            if isinstance(source, Scalar) and source.span.text.startswith("*"):
                continue  # an unknown alias, which has been reported
            if not isinstance(source, Mapping):
                self._report.add(
                    codes.UNSUPPORTED_YAML,
                    '"<<" takes a map or a list of maps',
                    at=key.span,
                    related=[Label(source.span, "not a map")],
                    hint="merge the alias of a map: <<: *name",
                )
                continue
            for entry in source.entries:
                entries.setdefault(entry.key.text, entry)
        return list(entries.values())

    def _repeated(self, first: Entry, again: Entry) -> Entry:
        """Report that the key of *first* is used again, and return the entry that counts."""
        self._report.add(
            codes.DUPLICATE_KEY,
            f'the key "{again.key.text}" is used twice',
            at=again.key.span,
            label="again",
            related=[Label(first.key.span, "first")],
            hint="remove one of them, or put both values under one key",
        )
        return first


def _alias_hint(anchor: str, suggested: str | None) -> str:
    if suggested:
        return f'write "*{suggested}"'
    if not re.fullmatch(r"[\w-]+", anchor):
        return 'put the text in quotes: a "*" begins an alias'
    return f'put "&{anchor}" before the value to repeat'


def _depth(tree: Node) -> int:
    """Return the number of collections inside each other in *tree*; the count ends after `MAX_DEPTH`."""
    count, level = 0, [tree] if type(tree) is not Scalar else []
    while level and count <= MAX_DEPTH:
        level = [child for node in level for child in children(node) if type(child) is not Scalar]
        count += 1
    return count


def _report_too_deep(span: Span, report: Report) -> None:
    """Report the value at *span* as nested too deeply."""
    report.add(
        codes.UNSUPPORTED_YAML,
        f"the value is nested more than {MAX_DEPTH} levels deep",
        at=span,
        hint="keep nested data in a file of its own",
    )
