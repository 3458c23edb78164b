"""Comments of the source that are about a value or a key: the lines above it, and the rest of its line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from pipegen.emit.header import read_header
from pipegen.emit.yaml import Commented, Value
from pipegen.source.text import SourceFile
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as TreeMapping

_COMMENT = re.compile(r"\s*# ?(.*)")
_BESIDE = re.compile(r"[ \t]+# ?(.*)")
_AFTER_BRACKETS = re.compile(r"[\]}, \t]*[ \t]# ?(?P<comment>[^\n]*)")
_ENV = "env"
# The file, and the number of the line.
_Place = tuple[str, int]


class KeyComments:
    """The comments about keys of stages; each is written once, at the first key that has it."""

    def __init__(self) -> None:
        # Whether each is at the end of the line of a scalar, and its text.
        self._comments: dict[tuple[str, str], dict[_Place, tuple[bool, str]]] = {}
        self._written: set[_Place] = set()

    def add(self, stage: str, key: str, entries: Iterable[Entry]) -> None:
        """Note that *entries* of the source became *key* of *stage*; `env.NAME` is a variable."""
        comments = {place: comment for entry in entries for place, comment in _comments_in(entry)}
        if comments:
            self._comments.setdefault((stage, key), {}).update(comments)

    def shared(self, keys: Mapping[str, Value], stages: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
        """Return *keys* that *stages* share below their comments; those have the keys that they do not share."""
        result: dict[str, Value] = {}
        for key, value in keys.items():
            inner = value
            if key == _ENV and isinstance(value, dict):
                inner = {
                    name: self._below(
                        f"{_ENV}.{name}", text, [stage for stage, own in stages.items() if name not in _env_of(own)]
                    )
                    for name, text in value.items()
                }
            result[key] = self._below(key, inner, [stage for stage, own in stages.items() if key not in own])
        return result

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
        *above, (is_beside, last) = comments.values()
        if is_beside and not isinstance(value, dict | list):
            return Commented(value, "\n".join(text for _, text in above), last)
        return Commented(value, "\n".join(text for _, text in comments.values()))


def _env_of(stage: Mapping[str, Value]) -> Mapping[str, Value]:
    env = stage.get(_ENV)
    return env if isinstance(env, dict) else {}


def _comments_in(entry: Entry) -> Iterator[tuple[_Place, tuple[bool, str]]]:
    """Yield the comments above and inside *entry* in the order of the file: place, whether beside a value, and text."""
    yield from _comments_at(entry.key)
    pending: list[Node] = [entry.value]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            yield from _comments_at(node)
        elif isinstance(node, TreeMapping):
            pending += [part for inner in reversed(node.entries) for part in (inner.value, inner.key)]
        else:
            pending += reversed(node.items)


def _comments_at(node: Scalar) -> Iterator[tuple[_Place, tuple[bool, str]]]:
    above, beside = comments_of(node)
    file, span = node.span.file, node.span
    lines = above.split("\n") if above else []
    for number, text in enumerate(lines, start=span.first.line - len(lines)):
        yield (file.path, number), (False, text)
    if not beside and not _is_generated(file.text):
        after = _AFTER_BRACKETS.match(file.text, span.end)
        beside = after["comment"].rstrip() if after is not None else ""
    if beside:
        yield (file.path, span.first.line), (True, beside)


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
        above.append(match[1].rstrip())
        line -= 1
    end = node.span.end
    rest = file.text[end : file.text.find("\n", end) if "\n" in file.text[end:] else len(file.text)]
    beside = _BESIDE.fullmatch(rest.rstrip("\r"))
    is_block = file.text[node.span.start : node.span.start + 1] in ("|", ">")
    return "\n".join(reversed(above)), beside[1].rstrip() if beside and not is_block else ""


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
