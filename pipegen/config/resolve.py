"""Stages with what they extend, and with the defaults of their pipeline, written out."""

from __future__ import annotations

from functools import reduce

from pipegen.config.compose import MAX_NODES
from pipegen.config.defaults import Defaults
from pipegen.config.merge import is_null, merged
from pipegen.config.schema.check import check_stages
from pipegen.config.schema.violation import Path
from pipegen.config.short_hand import is_short, written_out
from pipegen.config.templates import EXTENDS, Templates
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, Stopped
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Sequence, count

# Where the parts that are written out stand in the tree; nothing reads them any more.
_SPENT = ("include", "templates")
_NO_BASE = Mapping((), Span(SourceFile("", ""), 0, 0))


def resolve(tree: Mapping, report: Report) -> Mapping:
    """Return *tree* with every stage written out: no templates, defaults and short-hands are left.

    What a stage says wins over its templates, of which the later wins, and they over the defaults of its pipeline.
    """
    templates = Templates(tree.get("templates"))
    templates.check(report)
    bodies = [body for pipeline in _pipelines(tree) for body in (pipeline.get("defaults"), *_stages(pipeline))]
    extending = [body for body in bodies if isinstance(body, Mapping) and body.entry(EXTENDS) is not None]
    for body in extending:
        templates.check_names(body, report)
    report.stop_if_errors()
    resolver = _Resolver(templates, frozenset(map(id, extending)), report)
    entries = tuple(
        Entry(entry.key, resolver.pipelines(entry.value)) if entry.key.text == "pipelines" else entry
        for entry in tree.entries
        if entry.key.text not in _SPENT
    )
    resolved = Mapping(entries, tree.span)
    check_stages(resolved, resolver.made, report)
    report.stop_if_errors()
    return resolved


class _Resolver:
    """Writes stages out, and keeps where those stand that are made of several parts.

    *extending* are the identities of those that extend templates.
    """

    def __init__(self, templates: Templates, extending: frozenset[int], report: Report) -> None:
        self.made: list[Path] = []
        self._templates = templates
        self._extending = extending
        self._report = report
        self._nodes = 0
        # What many stages are made from is put together once.
        self._bases: dict[tuple[int, ...], Mapping] = {}

    def pipelines(self, node: Node) -> Node:
        """Return the map of pipelines *node* with all stages written out."""
        if not isinstance(node, Mapping):
            return node
        return Mapping(tuple(Entry(entry.key, self._pipeline(entry)) for entry in node.entries), node.span)

    def _pipeline(self, entry: Entry) -> Node:
        body = entry.value
        if not isinstance(body, Mapping):
            return body
        node = body.get("defaults")
        self._bases.clear()
        defaults = Defaults.of(self._templates.layers(node) if isinstance(node, Mapping) else ())
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
            return written_out(stage) if is_short(stage, _NO_BASE) else stage
        *templates, own = self._templates.layers(stage)
        layers = (*defaults.taken((*templates, own)), *templates)
        base = self._base(layers) if layers else Mapping((), stage.span)
        if layers:
            self.made.append(path)
            own = self._counted(merged(Mapping((*_name(own), *base.entries), stage.span), own))
        return written_out(own) if is_short(stage, base) else own

    def _base(self, layers: tuple[Mapping, ...]) -> Mapping:
        """Return *layers* put together, each over those before; a template counts once, where it first comes."""
        once = {id(layer): layer for layer in layers}
        key = tuple(once)
        if key not in self._bases:
            whole = reduce(merged, once.values())
            # What takes nothing away here does so in other pipelines.
            given = tuple(entry for entry in whole.entries if not is_null(entry.value))
            self._bases[key] = self._counted(Mapping(given, whole.span))
        return self._bases[key]

    def _counted(self, body: Mapping) -> Mapping:
        """Return *body*; raise `Stopped` when all that is written out grows too large."""
        self._nodes += count(body)
        if self._nodes > MAX_NODES:
            self._report.add(
                codes.CONFIG_TOO_LARGE,
                f"with templates and defaults written out, the config holds more than {MAX_NODES:,} values",
                at=body.entries[0].key.span if body.entries else body.span,
                hint="repeat less: what stands in a template stands in each stage made from it",
            )
            raise Stopped
        return body


def _pipelines(tree: Mapping) -> tuple[Mapping, ...]:
    node = tree.get("pipelines")
    entries = node.entries if isinstance(node, Mapping) else ()
    return tuple(entry.value for entry in entries if isinstance(entry.value, Mapping))


def _stages(pipeline: Mapping) -> tuple[Node, ...]:
    node = pipeline.get("stages")
    return node.items if isinstance(node, Sequence) else ()


def _name(stage: Mapping) -> tuple[Entry, ...]:
    """Return the name, which stands before all that is inherited."""
    return tuple(entry for entry in stage.entries if entry.key.text == "name")
