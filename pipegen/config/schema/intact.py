"""What is left of a config that breaks the schema, and what can be said of that for certain."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct

# Keys of a stage and of a pipeline without which the rest says the same: nothing reads what they say.
_OF_STAGES = frozenset(
    (
        *("description", "agent", "resources", "services", "env", "after", "reports", "cache", "retry", "timeout"),
        *("allow_failure", "approve", "lock", "interruptible", "reuse", "raw", "notify"),
    )
)
_OF_PIPELINES = frozenset({"notify", "fetch", "schedule", "concurrency", "fail_fast"})
# What is wrong with names of stages and with arcs, whatever the stages do.
_GRAPH = frozenset(
    {codes.UNKNOWN_STAGE, codes.DUPLICATE_STAGE, codes.RESERVED_NAME, codes.CYCLE, codes.REPEATED_IN_ARC}
)
# What is wrong with one value, or with a value and the stage that it reads from.
_VALUES = frozenset(
    {
        *(codes.INVALID_VALUE, codes.UNKNOWN_NAMESPACE, codes.OTHER_PIPELINE, codes.NOT_AN_ANCESTOR),
        *(codes.UNBOUND_NAME, codes.MALFORMED_REFERENCE, codes.UNKNOWN_SETUP_NAME, codes.BAD_SUBSTITUTION),
        *(codes.UNKNOWN_TEMPLATE, codes.UNKNOWN_INPUT, codes.INVALID_PATTERN, codes.INVALID_IMAGE_NAME),
        *(codes.EXPECTED_TEXT, codes.INVALID_VARIABLE, codes.UNKNOWN_TARGET),
    }
)

# What is said of a namespace that is no stage of any pipeline.
_NAMESPACES = frozenset({codes.UNKNOWN_NAMESPACE, codes.BAD_SUBSTITUTION})


class Intact(Struct):
    """The *tree* without what breaks the schema.

    *names* are those of stages and pipelines of which something is gone, *lost* those of the stages of pipelines that
    are gone as a whole; "" for a stage without a name.
    """

    tree: Node
    names: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    def vouches_for(self, found: Diagnostic) -> bool:
        """Return whether what is wrong with the tree, as *found*, is wrong however the rest is mended."""
        if found.severity is not Severity.ERROR:
            return False
        if not self.names or found.code in _GRAPH:
            return True
        if found.code in _NAMESPACES and any(not name or _mentions(found, name) for name in self.lost):
            return False
        return found.code in _VALUES and not any(_mentions(found, name) for name in self.names)


def intact(tree: Node, violations: Sequence[Violation]) -> Intact | None:
    """Return what is left of the config *tree* without its *violations*; None where too much hangs on these."""
    gone: dict[Path, None] = {}
    names: list[str] = []
    lost: list[str] = []
    for violation in violations:
        path = (*violation.path, violation.key) if violation.keyword in _KEYED else violation.path
        part = _part(tree, path)
        if part is None:
            return None
        gone[part] = None
        if part[0] != "pipelines":
            continue
        if len(part) < _STAGE:
            names.append(str(part[1]))
        elif len(part) == _STAGE or part[_STAGE] not in _OF_STAGES:
            names.append(_name(_at(tree, part[:_STAGE])))
        if len(part) == _PIPELINE:
            lost += _names(_at(tree, part))
    return Intact(_without(tree, (), gone), tuple(dict.fromkeys(names)), tuple(dict.fromkeys(lost)))


# Rules about a key that is there; that of one that is not there has the path of the map.
_KEYED = ("additionalProperties", "propertyNames")
# How long the paths are of a pipeline, of a key in it, and of a stage.
_PIPELINE, _PIPELINE_KEY, _STAGE = 2, 3, 4


def _part(tree: Node, path: Path) -> Path | None:
    """Return the smallest part with *path* in it that the rest does without; None for what many parts read."""
    if path[:1] == ("targets",) and len(path) > 1:
        return path[:2]
    if path[:1] != ("pipelines",) or len(path) < _PIPELINE:
        return None
    if len(path) >= _STAGE and path[2] == "stages" and path[_STAGE:][:1] != ("name",):
        # Arcs may name a stage whose name is gone.
        return path[: _STAGE + 1] if _name(_at(tree, path[:_STAGE])) else path[:_PIPELINE]
    return path[:_PIPELINE_KEY] if path[2:3] and path[2] in _OF_PIPELINES else path[:_PIPELINE]


def _names(pipeline: Node) -> list[str]:
    """Return the names of the stages of *pipeline*; where these are no list, there may be any."""
    stages = pipeline.get("stages") if isinstance(pipeline, Map) else None
    return [_name(stage) for stage in stages.items] if isinstance(stages, List) else [""]


def _name(stage: Node) -> str:
    """Return the name of *stage*; "" where it has none."""
    name = stage.get("name") if isinstance(stage, Map) else None
    return name.text if isinstance(name, Scalar) else ""


def _at(node: Node, path: Path) -> Node:
    for step in path:
        if isinstance(node, List) and isinstance(step, int):
            node = node.items[step]
        elif isinstance(node, Map):
            node = node.get(str(step)) or node
    return node


def _without(node: Node, path: Path, gone: Mapping[Path, None]) -> Node:
    """Return *node*, which stands at *path*, without what is *gone*."""
    if len(path) > _STAGE or not any(part[: len(path)] == path for part in gone):
        return node
    if isinstance(node, List):
        items = (_without(item, (*path, index), gone) for index, item in enumerate(node.items))
        return List(tuple(items), node.span)
    if not isinstance(node, Map):
        return node
    if path in gone:
        return _bare(node, [entry for entry in node.entries if entry.key.text == "name"])
    entries = [
        Entry(entry.key, _without(entry.value, (*path, entry.key.text), gone))
        for entry in node.entries
        if (*path, entry.key.text) not in gone
    ]
    is_idle = len(path) == _STAGE and _OF_WORK.isdisjoint([entry.key.text for entry in entries])
    return _bare(node, entries) if is_idle else Map(tuple(entries), node.span)


def _bare(stage: Map, entries: Sequence[Entry]) -> Map:
    """Return *stage* with *entries*, and a script, without which it might build and run what its name says."""
    return Map((*entries, Entry(Scalar("script", stage.span), Scalar("true", stage.span))), stage.span)


_OF_WORK = frozenset(
    {"script", "pipeline", "build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger"}
)


def _mentions(found: Diagnostic, name: str) -> bool:
    """Return whether *found* speaks of *name*, or stands at a reference to it."""
    labels = [label for label in (found.primary, *found.related) if label is not None]
    said: Collection[str] = (found.message, found.hint or "", *(label.text for label in labels))
    return any(
        f'"{name}"' in words or f'"{name}:' in words or f"{name} / " in words or f' / {name}"' in words
        for words in said
    ) or any(f"${{{name}" in label.span.text or label.span.text == name for label in labels)
