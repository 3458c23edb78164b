"""Parts of a config that have errors, and the config without them.

A part is named by its path: a key of a stage or of a pipeline, a stage, a pipeline, an input, a template, the settings
of a target, or a key of the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pipegen.config.schema.violation import Path, Violation
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Sequence as List

# How long the paths are of a pipeline, of a key in it, of a stage, and of a key in that.
PIPELINE, PIPELINE_KEY, STAGE, STAGE_KEY = 2, 3, 4, 5
# Rules about a key that is there; that of one that is not there has the path of the map.
KEYED = ("additionalProperties", "propertyNames")
_OF_WORK = frozenset(
    {"script", "pipeline", "build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger", "extends"}
)


def broken_parts(tree: Node, violations: Iterable[Violation], known: Collection[Path]) -> tuple[Path, ...] | None:
    """Return the parts of *tree* with its *violations*, or larger ones in place of those that are *known*.

    None where too much depends on them.
    """
    found: dict[Path, None] = {}
    for violation in violations:
        path = (*violation.path, violation.key) if violation.keyword in KEYED else violation.path
        part = larger(smallest_part(tree, path), known)
        if part is None:
            return None
        found[part] = None
    return tuple(found)


def smallest_part(tree: Node, path: Path) -> Path:
    """Return the smallest part of *tree* with *path* in it that the rest does without."""
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
    """Return *part*, or the smallest part with it that is not *known*; None where too much depends on that."""
    while part in known:
        # The items of a list are no part of their own.
        part = part[: PIPELINE if len(part) == STAGE and part[2] == "stages" else len(part) - 1]
    return None if part in ((), ("pipelines",)) else part


def without(tree: Node, parts: Iterable[Path]) -> Node:
    """Return *tree* without *parts*: of a stage stays the name, of an input that it exists."""
    gone = frozenset(parts)
    if not gone:
        return tree
    return _without(tree, (), gone, frozenset(part[:length] for part in gone for length in range(len(part) + 1)))


def _without(node: Node, path: Path, gone: frozenset[Path], above: frozenset[Path]) -> Node:
    """Return *node*, which stands at *path*, without what is *gone*; *above* holds the paths that lead there."""
    if path not in above:
        return node
    if path in gone:
        return _rest(node, path)
    if isinstance(node, List):
        paths = [(*path, index) for index in range(len(node.items))]
        items = zip(node.items, paths, strict=True)
        return List(
            tuple(_without(item, at, gone, above) for item, at in items if (*at, "name") not in gone), node.span
        )
    if not isinstance(node, Map):
        return node
    entries = [
        Entry(entry.key, _without(entry.value, at, gone, above))
        for entry in node.entries
        if (at := (*path, entry.key.text)) not in gone or _stays(at)
    ]
    is_idle = _is_stage(path) and _OF_WORK.isdisjoint([entry.key.text for entry in entries])
    return _bare(node, entries) if is_idle else Map(tuple(entries), node.span)


def _is_stage(path: Path) -> bool:
    return len(path) == STAGE and path[2] == "stages"


def _stays(path: Path) -> bool:
    """Return whether others may name what stands at *path*, whatever it says."""
    return len(path) == PIPELINE and path[0] in ("inputs", "templates")


def _rest(node: Node, path: Path) -> Node:
    """Return what stays of *node*, a part that is gone from *path*."""
    if path[0] == "inputs":
        return Scalar("", node.span)
    if path[0] == "templates" or not isinstance(node, Map):
        return Map((), node.span)
    return _bare(node, [entry for entry in node.entries if entry.key.text == "name"])


def _bare(stage: Map, entries: Sequence[Entry]) -> Map:
    """Return *stage* with *entries*, and a script, without which it might build and run what its name says."""
    return Map((*entries, Entry(Scalar("script", stage.span), Scalar("true", stage.span))), stage.span)


def node_at(node: Node, path: Path) -> Node:
    """Return what stands at *path* in *node*, or as far on the way there as there is anything."""
    for step in path:
        if isinstance(node, List) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        elif isinstance(node, Map):
            node = node.get(str(step)) or node
    return node


def name_of(stage: Node) -> str:
    """Return the name of *stage*; "" where it has none."""
    name = stage.get("name") if isinstance(stage, Map) else None
    return name.text if isinstance(name, Scalar) else ""


def stages_of(pipeline: Node | None) -> tuple[Node, ...] | None:
    """Return the stages of *pipeline*; None where these are no list."""
    stages = pipeline.get("stages") if isinstance(pipeline, Map) else None
    return stages.items if isinstance(stages, List) else None
