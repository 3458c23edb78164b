"""The model of a word of another CI system, and of its use in a config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum

from pipegen.config.flow import flow, written_key
from pipegen.config.schema.tree_paths import PIPELINE, TreePaths
from pipegen.config.schema.violation import Path
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, Sequence
from pipegen.structs import Struct


class System(Enum):
    """Another CI system, or a program whose files describe builds."""

    GITLAB = "GitLab"
    JENKINS = "Jenkins"
    GITHUB = "GitHub Actions"
    CIRCLECI = "CircleCI"
    AZURE = "Azure Pipelines"
    WOODPECKER = "Woodpecker"
    COMPOSE = "Docker Compose"


class Use(Struct):
    """A key at *path* in a config, which may be a word of another system."""

    path: Path
    tree_paths: TreePaths

    @property
    def value(self) -> Node:
        """The value of the key."""
        return self.tree_paths.node(self.path)

    @property
    def siblings(self) -> Mapping[str, Node]:
        """The values of all keys of the map with the key."""
        return {key: self.tree_paths.node((*self.path[:-1], key)) for key in self.tree_paths.keys(self.path[:-1])}

    @property
    def pipeline(self) -> Path | None:
        """The path of the pipeline with the key; None outside pipelines."""
        is_inside = self.path[:1] == PIPELINE[:1] and len(self.path) > len(PIPELINE)
        return self.path[: len(PIPELINE)] if is_inside else None


# The hint for a use; None if the use is not that of the other system.
Hint = Callable[[Use], str | None]


class ForeignWord(Struct, kw_only=True):
    """A key that users of other systems write.

    Attributes:
        key: the key.
        shown: the key as users of the system know it, such as `when: manual`; by default the key.
        parents: the patterns of the maps in which they write it.
        system: the system.
        instead: the equivalent in a config, a clause.
        hint: makes the hint for a use.
        section: the heading in the guide for the system; "" if the guide does not list the word.
        is_once: whether all uses in a pipeline have one hint.
    """

    key: str
    shown: str
    parents: tuple[Path, ...]
    system: System
    instead: str
    hint: Hint
    section: str
    is_once: bool

    @property
    def title(self) -> str:
        """The word as users of the system know it."""
        return self.shown or self.key


def rename(key: str) -> Hint:
    """Return a hint to rename the key and to keep its value."""
    return advise(rename_hint(key))


def rename_hint(key: str) -> str:
    """Return the hint to rename a key."""
    return f'rename it to "{key}"'


def advise(hint: str) -> Hint:
    """Return *hint*, whatever the value."""
    return lambda _: hint


def instead(snippet: Mapping[str, object]) -> str:
    """Return the hint to write *snippet* in place of the key and its value."""
    lines = written(snippet)
    if len(lines) == 1 and '"' not in lines[0]:
        return f'write "{lines[0]}" instead'
    return "\n".join(["write instead:", *lines])


def elsewhere(use: Use, parent: Path, snippet: Mapping[str, object]) -> str:
    """Return the hint to remove the key, and to add *snippet* at *parent*, or deeper where the config has its keys."""
    value: object = snippet
    while isinstance(value, Mapping) and _has_items(use, parent, key := next(iter(value))):
        parent, value = (*parent, key), value[key]
    lines = written(value) if isinstance(value, Mapping) else [f"- {flow(item)}" for item in _items(value)]
    return "\n".join([f"remove it, and add {_location(use, parent)}:", *lines])


def _has_items(use: Use, parent: Path, key: str) -> bool:
    """Return whether the config has a map or list *key* at *parent*."""
    node = use.tree_paths.node(parent)
    return isinstance(node, Map) and isinstance(node.get(key), Map | Sequence)


def _items(value: object) -> tuple[object, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _location(use: Use, parent: Path) -> str:
    return f"to {use.tree_paths.title(parent)}" if parent else "at the top level"


# Keys whose values are shown in block style; all others are shown on one line.
_BLOCKS = frozenset({"cases", "pipelines", "main", "defaults", "stages", "execution", "targets", "jenkins", "gitlab"})


def written(snippet: Mapping[str, object], margin: str = "") -> list[str]:
    """Return *snippet* as lines of YAML."""
    lines: list[str] = []
    for key, value in snippet.items():
        if key in _BLOCKS and isinstance(value, Mapping):
            lines += [f"{margin}{key}:", *written(value, f"{margin}  ")]
        elif key in _BLOCKS and isinstance(value, list | tuple):
            lines += [f"{margin}{key}:", *(f"{margin}  - {flow(item)}" for item in value)]
        else:
            lines.append(f"{margin}{written_key(key)}: {flow(value)}")
    return lines


def texts(node: Node | None) -> tuple[str, ...]:
    """Return the texts of *node*, a text or a list; texts in lists in it too."""
    match node:
        case Scalar():
            return (node.text,)
        case Sequence():
            return tuple(text for item in node.items for text in texts(item))
    return ()
