"""The valid part of a config that breaks the schema, and the diagnostics that are certain to hold for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pipegen.config.schema.violation import Path, Violation
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic, Severity
from pipegen.source.tree import Entry, Node, Scalar
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Sequence as List
from pipegen.structs import Struct

# Keys of a stage and of a pipeline that can be removed without effect on the rest: no other part reads them.
_OF_STAGES = frozenset(
    (
        *("description", "agent", "resources", "services", "env", "after", "reports", "cache", "retry", "timeout"),
        *("allow_failure", "approve", "lock", "interruptible", "reuse", "raw", "notify"),
    )
)
_OF_PIPELINES = frozenset({"notify", "fetch", "schedule", "concurrency", "fail_fast"})
# Errors in the names of stages and in arcs, which do not depend on the content of stages.
_GRAPH = frozenset(
    {codes.UNKNOWN_STAGE, codes.DUPLICATE_STAGE, codes.RESERVED_NAME, codes.CYCLE, codes.REPEATED_IN_ARC}
)
# Errors in one value, or in a value and the stage that it reads from.
_VALUES = frozenset(
    {
        *(codes.INVALID_VALUE, codes.UNKNOWN_NAMESPACE, codes.OTHER_PIPELINE, codes.NOT_AN_ANCESTOR),
        *(codes.UNBOUND_NAME, codes.MALFORMED_REFERENCE, codes.UNKNOWN_SETUP_NAME, codes.BAD_SUBSTITUTION),
        *(codes.UNKNOWN_TEMPLATE, codes.UNKNOWN_INPUT, codes.INVALID_PATTERN, codes.INVALID_IMAGE_NAME),
        *(codes.EXPECTED_TEXT, codes.INVALID_VARIABLE, codes.UNKNOWN_TARGET),
    }
)

# Errors in a namespace that is not a stage of any pipeline.
_NAMESPACES = frozenset({codes.UNKNOWN_NAMESPACE, codes.BAD_SUBSTITUTION})


class ValidPart(Struct):
    """The *tree* without its violations of the schema.

    *changed* are the names of stages and pipelines with removed parts, *removed* those of the stages of removed
    pipelines; "" is a stage without a name.
    """

    tree: Node
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def is_certain(self, diagnostic: Diagnostic) -> bool:
        """Return whether *diagnostic*, found in the tree, holds however the removed parts are fixed."""
        if diagnostic.severity is not Severity.ERROR:
            return False
        if not self.changed or diagnostic.code in _GRAPH:
            return True
        if diagnostic.code in _NAMESPACES and any(not name or _mentions(diagnostic, name) for name in self.removed):
            return False
        return diagnostic.code in _VALUES and not any(_mentions(diagnostic, name) for name in self.changed)


def valid_part(tree: Node, violations: Sequence[Violation]) -> ValidPart | None:
    """Return the config *tree* without its *violations*; None if too much depends on them."""
    removed_paths: dict[Path, None] = {}
    changed: list[str] = []
    removed: list[str] = []
    for violation in violations:
        path = (*violation.path, violation.key) if violation.keyword in _KEYED else violation.path
        part = _part(tree, path)
        if part is None:
            return None
        removed_paths[part] = None
        if part[0] != "pipelines":
            continue
        if len(part) < _STAGE:
            changed.append(str(part[1]))
        elif len(part) == _STAGE or part[_STAGE] not in _OF_STAGES:
            changed.append(_name(_at(tree, part[:_STAGE])))
        if len(part) == _PIPELINE:
            removed += _names(_at(tree, part))
    return ValidPart(_without(tree, (), removed_paths), tuple(dict.fromkeys(changed)), tuple(dict.fromkeys(removed)))


# Rules about an existing key; violations for missing keys have the path of the map.
_KEYED = ("additionalProperties", "propertyNames")
# The lengths of the paths of a pipeline, of a key in it, and of a stage.
_PIPELINE, _PIPELINE_KEY, _STAGE = 2, 3, 4


def _part(tree: Node, path: Path) -> Path | None:
    """Return the smallest removable part that contains *path*; None if many other parts read it."""
    if path[:1] == ("targets",) and len(path) > 1:
        return path[:2]
    if path[:1] != ("pipelines",) or len(path) < _PIPELINE:
        return None
    if len(path) >= _STAGE and path[2] == "stages" and path[_STAGE:][:1] != ("name",):
        # A stage without a name may be named in arcs, so the whole pipeline is removed.
        return path[: _STAGE + 1] if _name(_at(tree, path[:_STAGE])) else path[:_PIPELINE]
    return path[:_PIPELINE_KEY] if path[2:3] and path[2] in _OF_PIPELINES else path[:_PIPELINE]


def _names(pipeline: Node) -> list[str]:
    """Return the names of the stages of *pipeline*; "", any name, if they are not a list."""
    stages = pipeline.get("stages") if isinstance(pipeline, Map) else None
    return [_name(stage) for stage in stages.items] if isinstance(stages, List) else [""]


def _name(stage: Node) -> str:
    """Return the name of *stage*; "" if it has none."""
    name = stage.get("name") if isinstance(stage, Map) else None
    return name.text if isinstance(name, Scalar) else ""


def _at(node: Node, path: Path) -> Node:
    for step in path:
        if isinstance(node, List) and isinstance(step, int):
            node = node.items[step]
        elif isinstance(node, Map):
            node = node.get(str(step)) or node
    return node


def _without(node: Node, path: Path, removed: Mapping[Path, None]) -> Node:
    """Return *node* at *path* without the *removed* parts."""
    if len(path) > _STAGE or not any(part[: len(path)] == path for part in removed):
        return node
    if isinstance(node, List):
        items = (_without(item, (*path, index), removed) for index, item in enumerate(node.items))
        return List(tuple(items), node.span)
    if not isinstance(node, Map):
        return node
    if path in removed:
        return _bare(node, [entry for entry in node.entries if entry.key.text == "name"])
    entries = [
        Entry(entry.key, _without(entry.value, (*path, entry.key.text), removed))
        for entry in node.entries
        if (*path, entry.key.text) not in removed
    ]
    is_idle = len(path) == _STAGE and _OF_WORK.isdisjoint([entry.key.text for entry in entries])
    return _bare(node, entries) if is_idle else Map(tuple(entries), node.span)


def _bare(stage: Map, entries: Sequence[Entry]) -> Map:
    """Return *stage* with *entries* and a script, so that it is not a short-hand."""
    return Map((*entries, Entry(Scalar("script", stage.span), Scalar("true", stage.span))), stage.span)


_OF_WORK = frozenset(
    {"script", "pipeline", "build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger"}
)


def _mentions(diagnostic: Diagnostic, name: str) -> bool:
    """Return whether *diagnostic* mentions *name*, or is located at a reference to it."""
    labels = [label for label in (diagnostic.primary, *diagnostic.related) if label is not None]
    texts: Collection[str] = (diagnostic.message, diagnostic.hint or "", *(label.text for label in labels))
    return any(
        f'"{name}"' in text or f'"{name}:' in text or f"{name} / " in text or f' / {name}"' in text for text in texts
    ) or any(f"${{{name}" in label.span.text or label.span.text == name for label in labels)
