"""Expands templates, defaults and short-hands in stages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from pipegen.config.defaults import Defaults
from pipegen.config.keys import STAGE_KEYS
from pipegen.config.merge import merge_stages
from pipegen.config.schema.check import ValidConfig, check_stages
from pipegen.config.schema.parts import PIPELINE, has_any_name, possible_names, without
from pipegen.config.schema.violation import Path
from pipegen.config.templates import EXTENDS, Templates
from pipegen.config.unknown.inherited import inherited_parts
from pipegen.config.yaml.compose import MAX_NODES
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence, count, entries_of, is_null, items_of

# Top-level keys that nothing reads after they are expanded.
_EXPANDED_KEYS = ("include", "templates")
_BESIDE_SHORT_HAND = frozenset(key.name for key in STAGE_KEYS if key.is_beside_short_hand)
# Keys that replace the short-hand, even if inherited from the defaults.
_INSTEAD = ("script", "pipeline")
_NO_BASE = Mapping((), Span(SourceFile("", ""), 0, 0))


def resolve(config: ValidConfig, report: Report) -> ValidConfig:
    """Return *config* with all stages expanded: no templates, defaults and short-hands are left.

    Stages that inherit from unknown parts are unknown too.

    A stage's own values win over its templates, later templates over earlier ones, and templates over the defaults of
    its pipeline.
    """
    tree = config.tree
    if not isinstance(tree, Mapping):
        return config
    templates = Templates(tree.get("templates"), possible_names(config.parts))
    bodies = {path: body for path, body in _bodies(tree) if isinstance(body, Mapping)}
    extending = {path: body for path, body in bodies.items() if body.entry(EXTENDS) is not None}
    name_report = Report()
    parts = [*config.parts, *(("templates", name) for name in templates.check(name_report, report))]
    parts += [path for path, body in extending.items() if not templates.check_names(body, name_report)]
    is_misread = any(
        (part[0] == "templates" and len(part) == PIPELINE) or "templates" in part[PIPELINE:] for part in config.parts
    )
    if not is_misread and not has_any_name(config.parts):
        # Otherwise, an unknown part may define the missing name.
        report.take(name_report)
    if parts:
        parts = inherited_parts(bodies, templates, parts)
    resolver = _Resolver(templates, frozenset(map(id, extending.values())), report)
    entries = tuple(
        Entry(entry.key, resolver.pipelines(entry.value)) if entry.key.text == "pipelines" else entry
        for entry in tree.entries
        if entry.key.text not in _EXPANDED_KEYS
    )
    resolved = Mapping(entries, tree.span)
    remainder = without(resolved, parts)
    changed_paths = {part[:4] for part in parts}
    checked = check_stages(
        remainder, [path for path in resolver.merged_paths if changed_paths.isdisjoint((path, path[:2]))], report
    )
    if checked is None:
        raise Stopped
    unknown = tuple(dict.fromkeys((*parts, *checked.parts)))
    return ValidConfig(checked.tree, unknown, {path: templates.names(body) for path, body in extending.items()})


class _Resolver:
    """Expands stages, and records the paths of those merged from several layers.

    *extending* are the identities of the bodies that extend templates.
    """

    def __init__(self, templates: Templates, extending: frozenset[int], report: Report) -> None:
        self.merged_paths: list[Path] = []
        self._templates = templates
        self._extending = extending
        self._report = report
        self._nodes = 0
        # The merged layers that many stages share. The layers are retained, so that no other has the same identity.
        self._bases: dict[tuple[int, ...], tuple[tuple[Mapping, ...], Mapping]] = {}

    def pipelines(self, node: Node) -> Node:
        """Return the map of pipelines *node* with all stages expanded."""
        if not isinstance(node, Mapping):
            return node
        return Mapping(tuple(Entry(entry.key, self._pipeline(entry)) for entry in node.entries), node.span)

    def _pipeline(self, entry: Entry) -> Node:
        body = entry.value
        if not isinstance(body, Mapping):
            return body
        node = body.get("defaults")
        self._bases.clear()
        defaults = Defaults(tuple(self._templates.layers(node)) if isinstance(node, Mapping) else ())
        entries = []
        for inner in body.entries:
            if inner.key.text == "stages" and isinstance(inner.value, Sequence):
                stages = (
                    self._stage(stage, defaults, ("pipelines", entry.key.text, "stages", index))
                    for index, stage in enumerate(inner.value.items)
                )
                entries.append(Entry(inner.key, Sequence(tuple(stages), inner.value.span)))
            elif inner.key.text != "defaults":
                entries.append(inner)
        return Mapping(tuple(entries), body.span)

    def _stage(self, stage: Node, defaults: Defaults, path: Path) -> Node:
        if not isinstance(stage, Mapping):
            return stage
        if not defaults.layers and id(stage) not in self._extending:
            return _expand_short_hand(stage) if _is_short(stage, _NO_BASE) else stage
        *templates, own = self._templates.layers(stage)
        layers = (*defaults.inherited_by((*templates, own)), *templates)
        base = self._base(layers) if layers else Mapping((), stage.span)
        if layers:
            self.merged_paths.append(path)
            own = self._counted(merge_stages(Mapping((*_name(own), *base.entries), stage.span), own))
        return _expand_short_hand(own) if _is_short(stage, base) else own

    def _base(self, layers: tuple[Mapping, ...]) -> Mapping:
        """Return *layers* merged in order; a repeated template counts only at its first position."""
        unique_layers = {id(layer): layer for layer in layers}
        key = tuple(unique_layers)
        if key not in self._bases:
            merged_layers = reduce(merge_stages, unique_layers.values())
            # A null with nothing to remove here removes something in other pipelines.
            entries = tuple(entry for entry in merged_layers.entries if not is_null(entry.value))
            self._bases[key] = layers, self._counted(Mapping(entries, merged_layers.span))
        return self._bases[key][1]

    def _counted(self, body: Mapping) -> Mapping:
        """Return *body*; raise `Stopped` if the expanded config becomes too large."""
        self._nodes += count(body)
        if self._nodes > MAX_NODES:
            self._report.add(
                codes.CONFIG_TOO_LARGE,
                f"with templates and defaults expanded, the config has more than {MAX_NODES:,} values",
                at=body.entries[0].key.span if body.entries else body.span,
                hint="make templates smaller: each stage that extends a template repeats it",
            )
            raise Stopped
        return body


def _bodies(tree: Mapping) -> Iterator[tuple[Path, Node]]:
    """Yield the defaults of each pipeline of *tree*, and its stages, with their paths."""
    node = tree.get("pipelines")
    for entry in entries_of(node):
        path: Path = ("pipelines", entry.key.text)
        pipeline = entry.value if isinstance(entry.value, Mapping) else _NO_BASE
        defaults, stages = pipeline.get("defaults"), pipeline.get("stages")
        if defaults is not None:
            yield (*path, "defaults"), defaults
        for index, stage in enumerate(items_of(stages)):
            yield (*path, "stages", index), stage


def _name(stage: Mapping) -> tuple[Entry, ...]:
    """Return the entry of the name, which comes before all inherited entries."""
    return tuple(entry for entry in stage.entries if entry.key.text == "name")


def _is_short(written: Mapping, base: Mapping) -> bool:
    """Return whether a stage, as *written* by the user, is a short-hand; *base* are its inherited values."""
    for entry in written.entries:
        if entry.key.text not in _BESIDE_SHORT_HAND and not is_null(entry.value):
            return False
    return not any(base.entry(key) for key in _INSTEAD)


def _expand_short_hand(stage: Mapping) -> Mapping:
    """Return *stage* with the steps of the short-hand; inherited steps stay."""
    name = stage.entry("name")
    span = name.value.span if name is not None else stage.span
    steps = (
        Entry(Scalar("build", span), Scalar("${.stage}", span)),
        Entry(Scalar("run", span), Scalar("true", span, ScalarKind.BOOLEAN)),
    )
    return Mapping((*stage.entries, *(step for step in steps if stage.entry(step.key.text) is None)), stage.span)
