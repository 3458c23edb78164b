"""Comments of the source that are about a value or a key: the lines above it, and the rest of its line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from pipegen.emit.header import read_header
from pipegen.emit.yaml import Commented, Value
from pipegen.importing.repetition import env_of, users_of
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry, Node, Scalar, scalars
from pipegen.source.tree import Mapping as TreeMapping

_COMMENT = re.compile(r"\s*# ?(.*)")
# After a key or a value, with only signs of YAML, anchors and tags between them.
_BESIDE = re.compile(r"(?:[\[\]{},: \t]|[&!][^\s\[\]{},]+)*[ \t]# ?(?P<comment>[^\r\n]*)")
_ITEM = re.compile(r" *-(\s|$)")
_CLOSING = re.compile(r" *[\]}]")
_ENV = "env"
# Keys of a job with commands and variables, and what they become.
_OUTER = {"variables": _ENV, "before_script": "before", "script": "script", "after_script": "after"}
# The file, and the number of the line.
_Place = tuple[str, int]
# Comments by their places: whether each is at the end of the line of a scalar, and its text.
_Comments = dict[_Place, tuple[bool, str]]
# Comments, each with the number of its line.
_Lines = list[tuple[int, str]]


class EntryComments:
    """The comments about entries of the source, each read once for all attempts to write the config."""

    def __init__(self) -> None:
        # By `id`: jobs share the entries of templates.
        self._inside: dict[int, tuple[Entry, _Comments]] = {}
        self._around: dict[int, tuple[Entry, _Comments]] = {}

    def inside(self, entry: Entry) -> _Comments:
        """Return the comments above, in and after *entry*."""
        if id(entry) not in self._inside:
            self._inside[id(entry)] = entry, dict(_comments_in(entry))
        return self._inside[id(entry)][1]

    def around(self, entry: Entry) -> _Comments:
        """Return the comments above and after *entry*, without those of the keys and values in it."""
        if id(entry) not in self._around:
            self._around[id(entry)] = entry, dict((*_comments_at(entry.key), *_comments_after(entry)))
        return self._around[id(entry)][1]


class KeyComments:
    """The comments about keys of stages; each is written once, at the first key that has it."""

    def __init__(self, of_entries: EntryComments) -> None:
        self._comments: dict[tuple[str, str], _Comments] = {}
        self._written: set[_Place] = set()
        self._of_entries = of_entries

    def add(self, stage: str, key: str, entries: Iterable[Entry]) -> None:
        """Note that *entries* of the source became *key* of *stage*; `env.NAME` is a variable."""
        for entry in entries:
            if comments := self._of_entries.inside(entry):
                self._comments.setdefault((stage, key), {}).update(comments)

    def add_outer(self, stage: str, entries: Mapping[str, Entry], keys: Collection[str]) -> None:
        """Note the comments of those *entries* whose commands and variables have their own; *stage* has *keys*."""
        for source, key in _OUTER.items():
            entry, shown = entries.get(source), key if key in keys else "script"
            if entry is not None and shown in keys:
                self._comments.setdefault((stage, shown), {}).update(self._of_entries.around(entry))

    def shared(self, keys: Mapping[str, Value], stages: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
        """Return *keys* that *stages* share below their comments; those have the keys that they do not share."""
        result: dict[str, Value] = {}
        for key, value in keys.items():
            inner = value
            if key == _ENV and isinstance(value, dict):
                inner = {
                    name: self._below(
                        f"{_ENV}.{name}", text, [stage for stage, own in stages.items() if name not in env_of(own)]
                    )
                    for name, text in value.items()
                }
            result[key] = self._below(key, inner, [stage for stage, own in stages.items() if key not in own])
        return result

    def templates(
        self, templates: Mapping[str, Mapping[str, Value]], stages: Mapping[str, Mapping[str, Value]]
    ) -> dict[str, Value]:
        """Return *templates* with the comments of those *stages* that get each key from them."""
        users = users_of(stages, templates)
        return {name: self.shared(keys, users[name]) for name, keys in templates.items()}

    def stage(self, keys: Mapping[str, Value], name: str, above: str) -> Value:
        """Return the *keys* of the stage *name* below their comments, and all of it below the comment *above*."""
        stage = self.shared(keys, {name: {}})
        return Commented(stage, above) if above else stage

    def _below(self, key: str, value: Value, stages: Iterable[str]) -> Value:
        comments = {
            place: comment
            for stage in stages
            for place, comment in self._comments.get((stage, key), {}).items()
            if place not in self._written
        }
        if not comments:
            return value
        self._written |= comments.keys()
        *above, (is_beside, last) = _once(comments)
        if is_beside and not isinstance(value, dict | list):
            return Commented(value, "\n".join(text for _, text in above), last)
        return Commented(value, "\n".join(text for _, text in (*above, (is_beside, last))))


def _once(comments: _Comments) -> Iterator[tuple[bool, str]]:
    """Yield *comments*, each group of adjacent lines only once if several places repeat it.

    So is a comment beside a value, in which such groups end.
    """
    blocks: list[list[tuple[bool, str]]] = []
    expected: _Place | None = None
    for (path, number), comment in comments.items():
        if (path, number) != expected:
            blocks.append([])
        blocks[-1].append(comment)
        expected = (path, number + 1)
    beside: set[str] = set()
    for is_beside, text in (comment for block in dict.fromkeys(map(tuple, blocks)) for comment in block):
        if not is_beside or text not in beside:
            yield is_beside, text
        beside.update([text] if is_beside else [])


def _comments_in(entry: Entry) -> Iterator[tuple[_Place, tuple[bool, str]]]:
    """Yield the comments above, in and after *entry*: place, whether beside a value, and text."""
    yield from _comments_at(entry.key)
    pending: list[Node | Entry] = [entry, entry.value]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            yield from _comments_at(node)
        elif isinstance(node, Entry):
            yield from _comments_after(node)
        elif isinstance(node, TreeMapping):
            pending += [part for inner in reversed(node.entries) for part in (inner, inner.value, inner.key)]
        else:
            pending += reversed(node.items)


def _comments_at(node: Scalar) -> Iterator[tuple[_Place, tuple[bool, str]]]:
    above, beside = comments_of(node)
    lines = above.split("\n") if above else []
    for number, text in enumerate(lines, start=node.span.first.line - len(lines)):
        yield (node.span.file.path, number), (False, text)
    if beside:
        yield (node.span.file.path, node.span.first.line), (True, beside)


def _comments_after(entry: Entry) -> Iterator[tuple[_Place, tuple[bool, str]]]:
    """Yield the comments below the value of *entry*, before its closing bracket or indented more than its key."""
    file, first = entry.key.span.file, entry.key.span.first
    if _is_generated(file.text):
        return
    indent = first.column - 1
    end = _end(file, first.line, indent)
    spans = [scalar.span for scalar in scalars(entry.value)]
    lines = [span.last.line for span in spans if span.file is file and first.line <= span.first.line < end]
    last = max([first.line, *lines])
    comments, after = _comments_from(file, last + 1)
    if _CLOSING.match(_line(file, after)):
        beside = _BESIDE.match(_line(file, after))
        comments += [(after, beside["comment"].rstrip())] if beside else []
    else:
        is_ambiguous = _indent(file, after) == indent and _indent(file, last) <= indent
        comments = [] if is_ambiguous or _indent(file, after) > indent else _deeper(comments, file, indent)
    for number, text in comments:
        yield (file.path, number), (False, text)


def comments_of_job(key: Scalar) -> str:
    """Return the comments of the job with this *key*: above it, beside it, and below its last key."""
    file, first = key.span.file, key.span.first
    above, beside = comments_of(key)
    if _is_generated(file.text):
        return ""
    _, content = _comments_from(file, first.line + 1)
    end = _end(file, first.line, first.column - 1)
    start = end
    while start > first.line + 1 and (not _line(file, start - 1).strip() or _COMMENT.fullmatch(_line(file, start - 1))):
        start -= 1
    comments, _ = _comments_from(file, start)
    own = _deeper(comments, file, first.column - 1) if content < end else []
    of_keys = _deeper(comments, file, _indent(file, content))
    return "\n".join(filter(None, (above, beside, *(text for _, text in own[len(of_keys) :]))))


def _line(file: SourceFile, number: int) -> str:
    """Return line *number*, "" after the last one."""
    return file.line(number) if number <= len(file.line_starts) else ""


def _indent(file: SourceFile, number: int) -> int:
    """Return the indentation of line *number*, -1 after the last one."""
    line = _line(file, number)
    return len(line) - len(line.lstrip(" ")) if line else -1


def _end(file: SourceFile, number: int, indent: int) -> int:
    """Return the number of the line with the next key after that in line *number* with this *indent*."""
    while True:
        _, number = _comments_from(file, number + 1)
        is_item = _indent(file, number) == indent and _ITEM.match(_line(file, number))
        if _indent(file, number) <= indent and not is_item:
            return number


def _comments_from(file: SourceFile, number: int) -> tuple[_Lines, int]:
    """Return the comments from line *number* to the next line with anything else, and the number of this line."""
    comments: _Lines = []
    while number <= len(file.line_starts):
        comment = _COMMENT.fullmatch(file.line(number))
        if comment is not None:
            comments.append((number, comment[1].rstrip()))
        elif file.line(number).strip():
            break
        number += 1
    return comments, number


def _deeper(comments: _Lines, file: SourceFile, indent: int) -> _Lines:
    """Return the *comments* up to the last one with a larger indentation than *indent*."""
    deeper = [at for at, (number, _) in enumerate(comments, 1) if _indent(file, number) > indent]
    return comments[: max(deeper, default=0)]


def comments_of(node: Scalar) -> tuple[str, str]:
    """Return the comment above the line of *node*, and the one at its end; "" for none.

    Comments of a generated file are not about its config.
    """
    file, line = node.span.file, node.span.first.line
    if _is_generated(file.text):
        return "", ""
    above: list[str] = []
    # The comment above a line is about the first value in it.
    before = file.line(line)[: node.span.first.column - 1]
    while line > 1 and not {"{", ","} & set(before) and (match := _COMMENT.fullmatch(file.line(line - 1))):
        if _is_of_previous(file, line - 1, node.span.first.line):
            break
        above.append(match[1].rstrip())
        line -= 1
    beside = _BESIDE.match(file.text, node.span.end)
    is_block = file.text[node.span.start : node.span.start + 1] in ("|", ">")
    return "\n".join(reversed(above)), beside["comment"].rstrip() if beside and not is_block else ""


def _is_of_previous(file: SourceFile, comment: int, number: int) -> bool:
    """Return whether the *comment* above the key in line *number* is about the value before, with which it aligns."""
    indent = _indent(file, number)
    if _indent(file, comment) <= indent or _ITEM.match(file.line(number)):
        return False
    while comment > 0 and (not file.line(comment).strip() or _COMMENT.fullmatch(file.line(comment))):
        comment -= 1
    return comment > 0 and _indent(file, comment) > indent


def header_of(file: SourceFile) -> list[str]:
    """Return the comment at the start of *file*, without those directly above a key."""
    lines: list[str] = []
    for number in range(1, len(file.line_starts) + 1):
        comment = _COMMENT.fullmatch(file.line(number))
        if comment is None:
            is_apart = not file.line(number).strip() or file.line(number).startswith("---")
            return lines if is_apart and not _is_generated(file.text) else []
        lines.append(comment[1].rstrip())
    return []


@lru_cache(maxsize=16)
def _is_generated(text: str) -> bool:
    """Return whether pipegen generated *text*, and nobody changed it."""
    header = read_header(text)
    return header is not None and header.is_untouched
