"""Parts of a config that have errors, and the config without them.

A part is identified by its path: a key of a stage or of a pipeline, a stage, a pipeline, an input, a template, the
settings of a target, or a key of the file. An unknown key of the file has a second path for each word in it, as its
value may define this name in the wrong place, but no others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from pipegen.config.keys import WORK_KEYS
from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics.report import suggestion
from pipegen.source.tree import Entry, Node, Scalar, child, children, written_text
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Sequence as List

# The lengths of the paths of a pipeline, a key of a pipeline, a stage, and a key of a stage.
PIPELINE, PIPELINE_KEY, STAGE, STAGE_KEY = 2, 3, 4, 5
# Rules about a key that exists; violations about a missing key have the path of the map.
KEYED = ("additionalProperties", "propertyNames")
# A stage without any of these does nothing.
_WORK_KEYS = WORK_KEYS | {"extends"}
# Keys of the file that define names.
_DEFINING = ("pipelines", "inputs", "templates", "include")
_KNOWN = (*_DEFINING, "targets")
_FILES = (".yml", ".yaml", ".toml")


def broken_parts(tree: Node, violations: Iterable[Violation], known: Collection[Path]) -> tuple[Path, ...] | None:
    """Return the parts of *tree* with *violations*, or larger parts if those are *known*.

    Return None if too much depends on them.
    """
    parts: dict[Path, None] = {}
    for violation in violations:
        path = (*violation.path, violation.key) if violation.keyword in KEYED else violation.path
        part = larger(smallest_part(tree, path), known)
        if part is None:
            return None
        parts[part] = None
        if violation.keyword == KEYED[0] and not violation.path:
            parts |= {(violation.key, word): None for word in _names_within(tree, violation.key)}
    return tuple(parts)


def _names_within(tree: Node, key: str) -> tuple[str, ...]:
    """Return the names that the unknown *key* of the file *tree* may define; none if it may define any name.

    It may be a typo of a known key, or an attempt to include files.
    """
    words = (key, *_words(node_at(tree, (key,))))
    is_open = suggestion(key, _DEFINING) is not None or any(word.endswith(_FILES) for word in words)
    return () if is_open else words


def _words(node: Node) -> Iterator[str]:
    """Yield the texts and the keys in *node*."""
    if isinstance(node, Scalar):
        yield node.text
    if isinstance(node, Map):
        yield from (entry.key.text for entry in node.entries)
    for inner in children(node):
        yield from _words(inner)


def has_any_name(parts: Collection[Path]) -> bool:
    """Return whether a key of the file among *parts* may define any name."""
    return any(len(part) == 1 and part[0] != "targets" and (part[0], part[0]) not in parts for part in parts)


def is_known_name(part: Path) -> bool:
    """Return whether *part* is a pipeline, an input, a template, or the settings of a target."""
    return len(part) == PIPELINE and part[0] in _KNOWN


def possible_names(parts: Iterable[Path]) -> frozenset[str]:
    """Return the names that unknown keys of the file among *parts* may define."""
    return frozenset(str(part[1]) for part in parts if len(part) == PIPELINE and not is_known_name(part))


def smallest_part(tree: Node, path: Path) -> Path:
    """Return the smallest part of *tree* that contains *path* and that the rest does not need."""
    match path:
        case ("pipelines", _, "stages", int(), *inner):
            # Arcs may name a stage whose name is unknown.
            if inner[:1] == ["name"] or not name_of(node_at(tree, path[:STAGE])):
                return path[:PIPELINE]
            return path[:STAGE_KEY]
        case ("pipelines", _, key, *_):
            return path[: {"stages": PIPELINE, "defaults": STAGE}.get(str(key), PIPELINE_KEY)]
        case ("templates", *_):
            return path[:PIPELINE_KEY]
        case ("pipelines" | "inputs" | "targets", *_):
            return path[:PIPELINE]
    return path[:1]


def larger(part: Path, known: Collection[Path]) -> Path | None:
    """Return *part*, or the smallest part around it that is not *known*; None if too much depends on it."""
    while part in known:
        # A list of stages is not a part itself.
        part = part[: PIPELINE if is_stage(part) else len(part) - 1]
    return None if part in ((), ("pipelines",)) else part


def without(tree: Node, parts: Iterable[Path]) -> Node:
    """Return *tree* without *parts*; stages keep their names, and inputs and templates stay defined."""
    removed = frozenset(parts)
    if not removed:
        return tree
    return _without(tree, (), removed, frozenset(part[:length] for part in removed for length in range(len(part) + 1)))


def _without(node: Node, path: Path, removed: frozenset[Path], above: frozenset[Path]) -> Node:
    """Return *node*, which is at *path*, without the *removed* parts; *above* are the paths that lead to them."""
    if path not in above:
        return node
    if path in removed:
        return _remainder(node, path)
    if isinstance(node, List):
        paths = [(*path, index) for index in range(len(node.items))]
        items = zip(node.items, paths, strict=True)
        return List(
            tuple(_without(item, at, removed, above) for item, at in items if (*at, "name") not in removed), node.span
        )
    if not isinstance(node, Map):
        return node
    entries = [
        Entry(entry.key, _without(entry.value, at, removed, above))
        for entry in node.entries
        if (at := (*path, entry.key.text)) not in removed or _keeps_name(at)
    ]
    is_idle = is_stage(path) and _WORK_KEYS.isdisjoint([entry.key.text for entry in entries])
    return _bare(node, entries) if is_idle else Map(tuple(entries), node.span)


def is_stage(path: Path) -> bool:
    """Return whether *path* is that of a stage."""
    return len(path) == STAGE and path[2] == "stages"


def _keeps_name(path: Path) -> bool:
    """Return whether other parts may refer to the name at *path*, whatever its value."""
    return len(path) == PIPELINE and path[0] in ("inputs", "templates")


def _remainder(node: Node, path: Path) -> Node:
    """Return the remainder of *node*, a part that is removed from *path*."""
    if path[0] == "inputs":
        return Scalar("", node.span)
    if path[0] == "templates" or not isinstance(node, Map):
        return Map((), node.span)
    return _bare(node, [entry for entry in node.entries if entry.key.text == "name"])


def _bare(stage: Map, entries: Sequence[Entry]) -> Map:
    """Return *stage* with *entries*, and a script: without it, the stage might be a short-hand."""
    return Map((*entries, Entry(Scalar("script", stage.span), Scalar("true", stage.span))), stage.span)


def node_at(node: Node, path: Path) -> Node:
    """Return the node at *path* in *node*, or the deepest existing node on the way there."""
    for step in path:
        if isinstance(node, List) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        elif isinstance(node, Map):
            node = node.get(str(step)) or node
    return node


def name_of(stage: Node) -> str:
    """Return the name of *stage*; "" if it has none."""
    return written_text(child(stage, "name"))


def stages_of(pipeline: Node | None) -> tuple[Node, ...] | None:
    """Return the stages of *pipeline*; None if they are not a list."""
    stages = child(pipeline, "stages")
    return stages.items if isinstance(stages, List) else None
