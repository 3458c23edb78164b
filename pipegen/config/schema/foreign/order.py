"""Hints for words of other systems that set the order of stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from pipegen.config.flow import flow
from pipegen.config.schema.foreign.model import Use, elsewhere, instead, rename_hint, texts, written
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, child, items_of, written_text
from pipegen.source.tree import Sequence as List

# The keys with the names of the stages before a stage.
_NEEDS = ("needs", "depends_on", "dependsOn")
_EXAMPLE = {"execution": [["build", "test"]]}
# GitLab's stages that come before and after all others.
_FIRST, _LAST = ".pre", ".post"
# A list of more values is longer than it helps.
_MOST_PARTS = 20


def needs(use: Use) -> str:
    """Return the hint to define the order of the whole pipeline by `execution`."""
    if use.pipeline is None:
        return _without_pipeline()
    stages = _stages(use)
    needed = {name: before for name, stage in stages.items() if (before := _before(stage, stages))}
    arcs = [_arc(name, before) for name, before in needed.items()]
    if "execution" not in use.tree_paths.keys(use.pipeline):
        known = {*needed, *chain.from_iterable(needed.values())}
        arcs += [[name] for name in stages if name not in known]
    return elsewhere(use, use.pipeline, {"execution": arcs}) if arcs else "remove it"


def stage(use: Use) -> str:
    """Return the hint to define the order of the groups of stages by `execution`."""
    if "name" not in use.siblings:
        return rename_hint("name")
    if use.pipeline is None:
        return _without_pipeline()
    stages = _stages(use)
    groups: dict[str, list[str]] = {}
    for name, keys in stages.items():
        groups.setdefault(written_text(keys.get("stage")) or "test", []).append(name)
    order = [name for name in _group_order(use, groups) if name in groups]
    has_order = "execution" in use.tree_paths.keys(use.pipeline) or any(
        keys.get(key) is not None for keys in stages.values() for key in _NEEDS
    )
    if has_order or len(order) == 1:
        return 'remove it: "execution" sets the order of stages'
    arc = [group[0] if len(group := groups[name]) == 1 else group for name in order]
    return elsewhere(use, use.pipeline, {"execution": [arc]})


def _group_order(use: Use, groups: Mapping[str, object]) -> Sequence[str]:
    """Return the names of groups of stages in their order: by `stages` at the top level, else by their first stages."""
    listed = use.tree_paths.node(()).get("stages")  # type: ignore[union-attr]
    names = [name for name in texts(listed) if name in groups] or [*groups]
    inner = [name for name in dict.fromkeys([*names, *groups]) if name not in {_FIRST, _LAST}]
    return [_FIRST, *inner, _LAST]


def top_stages(use: Use) -> str | None:
    """Return the hint for GitLab's list of groups at the top level; None if it is not a list of names."""
    is_names = isinstance(use.value, List) and all(isinstance(item, Scalar) for item in use.value.items)
    return 'remove it: "execution" of a pipeline sets the order of its stages' if is_names else None


def parallel(use: Use) -> str:
    """Return the hint for GitLab's number or matrix of parallel jobs, and for Jenkins' parallel stages."""
    value = use.value
    matrix = child(value, "matrix")
    if isinstance(value, Scalar) and isinstance(value.value, int) and 0 < value.value <= _MOST_PARTS:
        return instead({"matrix": {"part": [*range(1, value.value + 1)]}})
    if isinstance(matrix, List) and len(matrix.items) == 1 and isinstance(matrix.items[0], Map):
        return instead({"matrix": _axes(matrix.items[0])})
    if isinstance(value, List) and value.items and all(isinstance(item, Scalar) for item in value.items):
        lines = written({"execution": [[[item.text for item in value.items if isinstance(item, Scalar)]]]})
        return "\n".join(["remove it, and write parallel stages as a list in an arc of the pipeline:", *lines])
    return 'write the axes of the combinations, as in "matrix: {python: [3.12, 3.13]}"'


def strategy(use: Use) -> str:
    """Return the hint for the matrix of GitHub Actions."""
    matrix = child(use.value, "matrix")
    if isinstance(matrix, Map):
        return instead({"matrix": _axes(matrix)})
    return 'write the axes of the combinations, as in "matrix: {python: [3.12, 3.13]}"'


def _axes(matrix: Map) -> Mapping[str, object]:
    """Return the axes of *matrix*; single values become lists."""
    return {
        entry.key.text: [entry.value] if isinstance(entry.value, Scalar) else entry.value for entry in matrix.entries
    }


def _without_pipeline() -> str:
    return f'remove it, and set the order in the pipeline, as in "{flow(_EXAMPLE)[1:-1]}"'


def _stages(use: Use) -> dict[str, Map]:
    """Return the stages of the pipeline with *use*, by name."""
    stages = use.tree_paths.node(use.pipeline or ()).get("stages")  # type: ignore[union-attr]
    items = items_of(stages)
    return {name: item for item in items if isinstance(item, Map) and (name := written_text(item.get("name")))}


def _before(stage: Map, stages: Mapping[str, Map]) -> tuple[str, ...]:
    """Return the names of the *stages* that *stage* needs."""
    values = [value for key in _NEEDS if (value := stage.get(key)) is not None]
    return tuple(dict.fromkeys(name for value in values for name in _names(value) if name in stages))


def _names(node: Node) -> tuple[str, ...]:
    """Return the names in *node*: texts, or GitLab's maps with a `job`."""
    if isinstance(node, Map):
        return texts(node.get("job"))
    return tuple(name for item in node.items for name in _names(item)) if isinstance(node, List) else texts(node)


def _arc(name: str, before: Sequence[str]) -> list[object]:
    return [before[0] if len(before) == 1 else [*before], name]
