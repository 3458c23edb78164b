"""Values and keys of a tree by path, with their spans and titles."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from pipegen.config.schema.file import maps
from pipegen.config.schema.violation import Path
from pipegen.source.text import Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, Sequence, child, entries_of

# The paths of the main parts of a config; "*" is any key, 0 any item.
TOP: Path = ()
PIPELINE: Path = ("pipelines", "*")
INPUT: Path = ("inputs", "*")
STAGE: Path = ("pipelines", "*", "stages", 0)
DEFAULTS: Path = (*PIPELINE, "defaults")
TEMPLATE: Path = ("templates", "*")


class TreePaths:
    """A tree by path; *where* names it if it is only a part of a file."""

    def __init__(self, root: Node, where: str = "") -> None:
        self.root = root
        self.top_hint = None if where else 'begin the file with "pipelines:"'
        self._where = where
        self._entries: dict[int, dict[str, Entry]] = {}

    def node(self, path: Path) -> Node:
        """Return the value at *path*, which exists."""
        node = self.root
        for step in path:
            match node, step:
                case Sequence(), int():
                    node = node.items[step]
                case _:
                    node = self.entry_of(node, str(step)).value
        return node

    def entry(self, path: Path) -> Entry | None:
        """Return the entry at *path*; None for an item of a list."""
        return self.entry_of(self.node(path[:-1]), path[-1]) if path and isinstance(path[-1], str) else None

    def entry_of(self, node: Node, key: str) -> Entry:
        """Return the entry of *key* in the mapping *node*, which has it."""
        if not isinstance(node, Mapping):
            raise TypeError(key)
        return self._by_key(node)[key]

    def _by_key(self, node: Node) -> dict[str, Entry]:
        """Return the entries of *node* by key, none if it is not a mapping; each mapping is read once."""
        if id(node) not in self._entries:
            self._entries[id(node)] = {entry.key.text: entry for entry in entries_of(node)}
        return self._entries[id(node)]

    def keys(self, path: Path) -> tuple[str, ...]:
        """Return the keys of the mapping at *path*; empty if it is not a mapping."""
        node = self.node(path)
        return tuple(entry.key.text for entry in node.entries) if isinstance(node, Mapping) else ()

    def length(self, path: Path) -> int:
        """Return the length of the list at *path*; 0 if it is not a list."""
        node = self.node(path)
        return len(node.items) if isinstance(node, Sequence) else 0

    def mark(self, path: Path) -> Span:
        """Return the span to underline for the value at *path*: the value if it is on one line, else its key."""
        node = self.node(path)
        if "\n" not in node.span.text and "\r" not in node.span.text and node.span.text:
            return node.span
        entry = self.entry(path)
        return entry.key.span if entry else _first_key(node)

    def key(self, path: Path) -> Span:
        """Return the span to underline for the whole entry or item at *path*: its key, its name, or its first key."""
        if (entry := self.entry(path)) is not None:
            return entry.key.span
        name = self.entry_of(self.node(path), "name") if "name" in self.keys(path) else None
        return name.value.span if name is not None and name.value.span.text else _first_key(self.node(path))

    def stage_above(self, path: Path) -> Path | None:
        """Return the path of the last stage above the key at *path*; None without one."""
        index = bisect_left(self._stages, self.key(path).start, key=lambda stage: stage[0])
        return self._stages[index - 1][1] if index else None

    @cached_property
    def _stages(self) -> list[tuple[int, Path]]:
        """The offsets of stages in text order, with their paths."""
        pipelines_path: Path = ("pipelines",)
        pipelines = (
            [(*pipelines_path, name) for name in self.keys(pipelines_path)]
            if pipelines_path[0] in self.keys(TOP)
            else []
        )
        lists: list[Path] = [(*pipeline, "stages") for pipeline in pipelines if "stages" in self.keys(pipeline)]
        stages: list[Path] = [(*path, index) for path in lists for index in range(self.length(path))]
        return sorted(((self.key(stage).start, stage) for stage in stages), key=lambda stage: stage[0])

    def title(self, path: Path) -> str:
        """Return the display name of the mapping or list at *path*: `stage "unit"`, `"publish"`, `an arc`."""
        pattern = self.pattern(path)
        if not path:
            return f'"{self._where}"' if self._where else "the config"
        if pattern in {PIPELINE, TEMPLATE}:
            return f'{"pipeline" if pattern == PIPELINE else "template"} "{path[-1]}"'
        if pattern == STAGE:
            return self._stage(path)
        if pattern == ("pipelines", "*", "execution", 0):
            return "an arc"
        if isinstance(path[-1], int):
            return f"an item of {self.title(path[:-1])}" if pattern[-2] == 0 else f'an item of "{path[-2]}"'
        return f'"{path[-1]}"'

    def pattern(self, path: Path) -> Path:
        """Return the path in the schema that *path* matches: the user's own keys become "*", items 0."""
        pattern: Path = ()
        for step in path:
            general: str | int = 0 if isinstance(step, int) else step
            pattern += ("*",) if isinstance(step, str) and pattern in maps() else (general,)
        return pattern

    def is_part(self, path: Path) -> bool:
        """Return whether *path* is in a template, in defaults, or in a stage that inherits from these."""
        pattern = self.pattern(path)
        if outer_path(pattern, TEMPLATE, DEFAULTS) is not None:
            return True
        if pattern[: len(STAGE)] != STAGE or len(pattern) == len(STAGE):
            return False
        pipeline, stage = self.node(path[: len(PIPELINE)]), self.node(path[: len(STAGE)])
        return "defaults" in self._by_key(pipeline) or "extends" in self._by_key(stage)

    def _stage(self, path: Path) -> str:
        node = self.node(path)
        name = child(node, "name")
        return f'stage "{name.text}"' if isinstance(name, Scalar) and name.text else "a stage"


def outer_path(pattern: Path, *outers: Path) -> Path | None:
    """Return the first of *outers* that *pattern* is, or is in; None if there is none."""
    return next((outer for outer in outers if pattern[: len(outer)] == outer), None)


def of_stage(pattern: Path) -> Path:
    """Return *pattern* with the path of a stage for those of templates and defaults, which have the same keys."""
    outer = outer_path(pattern, TEMPLATE, DEFAULTS)
    return pattern if outer is None else (*STAGE, *pattern[len(outer) :])


def described(pattern: Path) -> str:
    """Return the words for *pattern* after "belongs": "in a stage"."""
    if pattern == TOP:
        return "at the top level"
    if pattern == PIPELINE:
        return "in a pipeline"
    if pattern == STAGE:
        return "in a stage"
    if pattern == TEMPLATE:
        return "in a template"
    return f'under "{".".join(names(pattern))}"'


def names(pattern: Path) -> tuple[str, ...]:
    """Return the keys that lead to *pattern* within its stage, template or pipeline."""
    outer = outer_path(pattern, STAGE, TEMPLATE, PIPELINE) or TOP
    inner = pattern[len(outer) :]
    return tuple(step for step in inner if isinstance(step, str) and step != "*")


def _first_key(node: Node) -> Span:
    """Return the span of the first key in *node*, or of the first character if it has no key."""
    while isinstance(node, Sequence) and node.items:
        node = node.items[0]
    if isinstance(node, Mapping) and node.entries:
        return node.entries[0].key.span
    return node.span if isinstance(node, Scalar) else Span(node.span.file, node.span.start, node.span.start + 1)
