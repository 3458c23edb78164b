"""The diagnostics that stay valid although parts of a config are unknown, because they have errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from pipegen.config.keys import PIPELINE_KEYS, STAGE_KEYS
from pipegen.config.schema.parts import (
    PIPELINE,
    PIPELINE_KEY,
    STAGE,
    STAGE_KEY,
    has_any_name,
    is_known_name,
    is_stage,
    larger,
    name_of,
    node_at,
    possible_names,
    smallest_part,
    stages_of,
)
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import PartIndex
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.reach import Reach, reach
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar, child, entries_of
from pipegen.structs import Struct

# Keys of a pipeline and of a stage that do not affect the rest of the plan, by the length of their paths.
_LOCAL = {
    PIPELINE_KEY: frozenset(key.name for key in PIPELINE_KEYS if key.is_local),
    STAGE_KEY: frozenset(key.name for key in STAGE_KEYS if key.is_local),
}
# Names that no stage may have.
_RESERVED = ("setup", "inputs")
_ORDER = ("execution", "finally")
# Codes of undefined names, and the top-level key that might define the name. A file that cannot be read may define
# any name.
_NAMES = {
    codes.UNKNOWN_INPUT: "inputs",
    codes.UNKNOWN_CONDITION_INPUT: "inputs",
    codes.INVALID_SET: "inputs",
    codes.UNKNOWN_PIPELINE: "",
    codes.UNKNOWN_NAMESPACE: "",
    codes.BAD_SUBSTITUTION: "",
}
# Codes of namespaces that are not a stage of any pipeline.
_NAMESPACES = frozenset({codes.UNKNOWN_NAMESPACE, codes.BAD_SUBSTITUTION})


class _Near(Struct, kw_only=True):
    """The unknown parts near a diagnostic.

    Attributes:
        stages: the paths of stages with unknown parts.
        has_order: whether the order of stages is unknown.
        is_loose: whether an unknown part may affect any stage.
        names: the names of all unknown parts.
        missing: the names among them, also of stages, that are missing entirely.
    """

    stages: frozenset[Path]
    has_order: bool
    is_loose: bool
    names: tuple[str, ...]
    missing: tuple[str, ...]

    def allows(self, extent: Reach, paths: Sequence[Path]) -> bool:
        """Return whether no part within *extent* of *paths* is unknown."""
        has_any = bool(self.stages) or self.has_order or self.is_loose
        if extent is Reach.PIPELINE or (extent >= Reach.STAGE and not any(map(_pipeline, paths))):
            return not has_any
        if extent is Reach.ORDER and self.has_order:
            return False
        return extent < Reach.STAGE or not (self.is_loose or any(path[:STAGE] in self.stages for path in paths))


class Unknown:
    """The unknown *parts* of a config; *tree* is the config with all stages expanded."""

    def __init__(self, tree: Node, parts: Iterable[Path]) -> None:
        self.parts: dict[Path, None] = dict.fromkeys(parts)
        self._tree = tree
        # Parts that violate the schema may have wrong names too.
        self._misread = tuple(self.parts)
        self._index = PartIndex(tree)
        self._related = _related(tree)
        # Cached, by pipelines and by whether keys count that nothing reads: slow to compute.
        self._near: dict[tuple[frozenset[str], bool], _Near] = {}

    def add(self, errors: Sequence[Diagnostic]) -> bool:
        """Add the parts with *errors*; return whether any is new."""
        parts: dict[Path, None] = {}
        for span in dict.fromkeys(error.primary.span for error in errors if error.primary is not None):
            for path in self._index.paths(span):
                part = self._part(path)
                if is_stage(part) and part in self.parts and (*part, "name") not in self.parts:
                    # The name is wrong: removing the stage changes the arcs through it.
                    parts[*part, "name"] = None
                elif (wider := larger(part, self.parts)) is not None:
                    parts[wider] = None
        return self._added(parts)

    def add_stages(self) -> bool:
        """Add each stage with an unknown part as a whole; return whether any is new."""
        return self._added(
            {part[:STAGE]: None for part in self.parts if part[:1] == ("pipelines",) and len(part) == STAGE_KEY}
        )

    def is_certain(self, diagnostic: Diagnostic) -> bool:
        """Return whether *diagnostic* stays valid however the unknown parts are corrected."""
        if not self.parts:
            return True
        extent, is_late = reach(diagnostic.code), diagnostic.code.number >= "PG6"
        if diagnostic.code in _NAMES and (
            self._is_open(_NAMES[diagnostic.code]) or _is_mentioned(diagnostic, possible_names(self.parts))
        ):
            return False
        if diagnostic.code in _NAMESPACES and any(
            not name or _is_mentioned(diagnostic, [name]) for name in self._lost_names()
        ):
            return False
        if extent is Reach.FILE:
            return all(_is_local(part) and not is_late for part in self.parts)
        paths = self._paths(diagnostic)
        pipelines = (self._related.get(_pipeline(path), {_pipeline(path)}) for path in paths if _pipeline(path))
        near = self._around(frozenset(chain.from_iterable(pipelines)), is_late=is_late)
        if _is_mentioned(diagnostic, near.missing if extent is Reach.NAMES else near.names):
            return False
        return near.allows(extent, paths)

    def _added(self, parts: Mapping[Path, None]) -> bool:
        is_wider = not parts.keys() <= self.parts.keys()
        self.parts |= parts
        self._near.clear()
        return is_wider

    def _part(self, path: Path) -> Path:
        """Return the smallest part that contains *path*: an error at the name of a stage may affect the whole stage."""
        return path[:STAGE] if path[STAGE:] == ("name",) else smallest_part(self._tree, path)

    def _is_open(self, key: str) -> bool:
        """Return whether the top-level *key* may define more names than the known ones, also in the wrong place."""
        misread = any(part[0] == key or part[PIPELINE:] == (key,) for part in self._misread)
        return misread or has_any_name(self.parts)

    def _paths(self, diagnostic: Diagnostic) -> tuple[Path, ...]:
        labels = [label for label in (diagnostic.primary, *diagnostic.related) if label is not None]
        return tuple(path for label in labels for path in self._index.paths(label.span))

    def _lost_names(self) -> tuple[str, ...]:
        """Return the names of the stages of removed pipelines; "" for any name."""
        removed = [stages_of(node_at(self._tree, part)) for part in self.parts if _is_pipeline(part)]
        return tuple(name for stages in removed for name in ([""] if stages is None else map(name_of, stages)))

    def _around(self, pipelines: frozenset[str], *, is_late: bool) -> _Near:
        """Return the unknown parts of *pipelines* (all pipelines when empty) and of what they share."""
        if (pipelines, is_late) not in self._near:
            parts = [part for part in self.parts if (is_late or not _is_local(part)) and _is_near(part, pipelines)]
            inner = [part for part in parts if part[0] == "pipelines"]
            stages = {part[:STAGE]: part for part in inner if len(part) >= STAGE}
            missing = {part[:STAGE] for part in inner if part[STAGE:] == ("name",)}
            names = {path: name for path in stages if (name := name_of(node_at(self._tree, path)))}
            others = tuple(str(part[1]) for part in parts if is_known_name(part))
            self._near[pipelines, is_late] = _Near(
                stages=frozenset(stages),
                has_order=any(map(_is_order, inner)),
                is_loose=any(len(part) <= PIPELINE_KEY and not _is_order(part) for part in inner),
                names=(*others, *names.values()),
                missing=(*others, *(names[path] for path in names if path in missing)),
            )
        return self._near[pipelines, is_late]


def _is_near(part: Path, pipelines: Collection[str]) -> bool:
    """Return whether *part* is in one of *pipelines*, or outside all; without pipelines, every part is near."""
    return part[0] != "pipelines" or not pipelines or part[1] in pipelines


def _is_local(part: Path) -> bool:
    return part[0] == "pipelines" and part[-1] in _LOCAL.get(len(part), ())


def _is_order(part: Path) -> bool:
    return (len(part) == PIPELINE_KEY and part[2] in _ORDER) or part[STAGE:] == ("name",)


def _is_pipeline(part: Path) -> bool:
    return len(part) == PIPELINE and part[0] == "pipelines"


def _pipeline(path: Path) -> str:
    """Return the pipeline that contains *path*; "" for none."""
    return str(path[1]) if path[:1] == ("pipelines",) and len(path) > 1 else ""


def _related(tree: Node) -> Mapping[str, frozenset[str]]:
    """Return for each pipeline its direct and indirect callers and callees."""
    node = child(tree, "pipelines")
    related: dict[str, frozenset[str]] = {}
    for entry in entries_of(node):
        calls = [stage.get("pipeline") for stage in stages_of(entry.value) or () if isinstance(stage, Map)]
        group = {entry.key.text, *(name.text for name in calls if isinstance(name, Scalar))}
        whole = frozenset(group.union(*(related.get(name, frozenset()) for name in group)))
        related |= dict.fromkeys(whole, whole)
    return related


def _is_mentioned(diagnostic: Diagnostic, names: Iterable[str]) -> bool:
    """Return whether *diagnostic* mentions one of *names*, or is at a reference to it."""
    labels = [label for label in (diagnostic.primary, *diagnostic.related) if label is not None]
    texts = [label.span.text for label in labels]
    # An undefined name stays undefined, whichever known names the hint lists.
    hint = "" if diagnostic.code in _NAMES else diagnostic.hint or ""
    words = "\n".join((diagnostic.message, hint, *(label.text for label in labels)))
    # Fast check first: most names do not occur.
    likely = [name for name in names if name in words or any(name in text for text in texts)]
    return any(_has_name(words, name) or any(_reads(text, name) for text in texts) for name in likely)


def _has_name(words: str, name: str) -> bool:
    """Return whether *words* mention *name*, or a stage that replaces it."""
    return any(form in words for form in (f'"{name}"', f'"{name}:', f"{name} / ", f' / {name}"'))


def _reads(text: str, name: str) -> bool:
    """Return whether *text* is *name* or has a reference to it; values of reserved names are not outputs of a stage."""
    if text.strip("'\"").startswith(f"{name}["):
        return True
    return text == name or (name not in _RESERVED and any(f"${{{name}{mark}" in text for mark in ".[|}"))
