"""What holds of a config of which parts are unknown, since they have errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from pipegen.config.schema.parts import (
    PIPELINE,
    PIPELINE_KEY,
    STAGE,
    STAGE_KEY,
    larger,
    name_of,
    node_at,
    smallest_part,
    stages_of,
)
from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import PartIndex
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.reach import Reach, reach
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar
from pipegen.structs import Struct

# Keys of a stage and of a pipeline that change nothing of what the plan says of the rest: nothing reads them.
_ASIDE = frozenset(
    (
        *("description", "agent", "resources", "services", "env", "after", "reports", "cache", "retry", "timeout"),
        *("allow_failure", "approve", "lock", "interruptible", "reuse", "raw", "notify"),
        *("fetch", "schedule", "concurrency", "fail_fast"),
    )
)
# No stage has one of these names for long.
_RESERVED = ("setup", "inputs")
_ORDER = ("execution", "finally")
# What is wrong with a name that stands nowhere, and the key of the file under which it might. In a file that could not
# be read, each may.
_NAMES = {
    codes.UNKNOWN_INPUT: "inputs",
    codes.UNKNOWN_CONDITION_INPUT: "inputs",
    codes.INVALID_SET: "inputs",
    codes.UNKNOWN_PIPELINE: "",
    codes.UNKNOWN_NAMESPACE: "",
    codes.BAD_SUBSTITUTION: "",
}
# What is said of a namespace that is no stage of any pipeline.
_NAMESPACES = frozenset({codes.UNKNOWN_NAMESPACE, codes.BAD_SUBSTITUTION})


class _Near(Struct, kw_only=True):
    """What is unknown around a diagnostic.

    Attributes:
        stages: the paths of stages of which something is unknown.
        has_order: whether the order of stages is unknown.
        is_loose: whether something is unknown that may be about each stage.
        names: the names of all that is unknown.
        missing: those of them, stages among them, that are not there at all.
    """

    stages: frozenset[Path]
    has_order: bool
    is_loose: bool
    names: tuple[str, ...]
    missing: tuple[str, ...]

    def allows(self, extent: Reach, places: Sequence[Path]) -> bool:
        """Return whether nothing is open of what stands at *places* and goes as far as *extent*."""
        has_any = bool(self.stages) or self.has_order or self.is_loose
        if extent is Reach.PIPELINE or (extent >= Reach.STAGE and not any(map(_pipeline, places))):
            return not has_any
        if extent is Reach.ORDER and self.has_order:
            return False
        return extent < Reach.STAGE or not (self.is_loose or any(path[:STAGE] in self.stages for path in places))


class Unknown:
    """The *parts* of a config that are unknown; *tree* is the config, every stage written out."""

    def __init__(self, tree: Node, parts: Iterable[Path]) -> None:
        self.parts: dict[Path, None] = dict.fromkeys(parts)
        self._tree = tree
        # Of what does not fit the schema, names may be wrong too.
        self._misread = tuple(self.parts)
        self._index = PartIndex(tree)
        self._related = _related(tree)
        # What is near, by pipelines, and whether keys count that nothing reads. It takes long to gather.
        self._near: dict[tuple[frozenset[str], bool], _Near] = {}

    def add(self, errors: Sequence[Diagnostic]) -> bool:
        """Add the parts in which *errors* are; return whether there are any that were not known."""
        found: dict[Path, None] = {}
        for error in errors:
            for path in self._index.paths(error.primary.span) if error.primary is not None else ():
                part = self._part(path)
                if _is_whole_stage(part) and part in self.parts and (*part, "name") not in self.parts:
                    # Its name is wrong: without it, arcs through it are not what they were.
                    found[*part, "name"] = None
                elif (wider := larger(part, self.parts)) is not None:
                    found[wider] = None
        return self._added(found)

    def add_stages(self) -> bool:
        """Add all of each stage of which a part is unknown; return whether there are any that were not known."""
        return self._added(
            {part[:STAGE]: None for part in self.parts if part[:1] == ("pipelines",) and len(part) == STAGE_KEY}
        )

    def vouches_for(self, found: Diagnostic) -> bool:
        """Return whether *found* holds however the parts that are unknown are corrected."""
        if not self.parts:
            return True
        extent, is_late = reach(found.code), found.code.number >= "PG6"
        if found.code in _NAMES and self._is_open(_NAMES[found.code]):
            return False
        if found.code in _NAMESPACES and any(not name or _mentioned(found, [name]) for name in self._lost_names()):
            return False
        if extent is Reach.FILE:
            return all(_is_aside(part) and not is_late for part in self.parts)
        places = self._places(found)
        pipelines = (self._related.get(_pipeline(path), {_pipeline(path)}) for path in places if _pipeline(path))
        near = self._around(frozenset(chain.from_iterable(pipelines)), is_late=is_late)
        if _mentioned(found, near.missing if extent is Reach.NAMES else near.names):
            return False
        return near.allows(extent, places)

    def _added(self, parts: Mapping[Path, None]) -> bool:
        is_wider = not parts.keys() <= self.parts.keys()
        self.parts |= parts
        self._near.clear()
        return is_wider

    def _part(self, path: Path) -> Path:
        """Return the smallest part with *path* in it: an error at the name of a stage may be about all of it."""
        return path[:STAGE] if path[STAGE:] == ("name",) else smallest_part(self._tree, path)

    def _is_open(self, key: str) -> bool:
        """Return whether more names may stand under *key* of the file than are known."""
        misread = any(part[0] == key for part in self._misread)
        return misread or any(len(part) == 1 and part[0] != "targets" for part in self.parts)

    def _places(self, found: Diagnostic) -> tuple[Path, ...]:
        labels = [label for label in (found.primary, *found.related) if label is not None]
        return tuple(path for label in labels for path in self._index.paths(label.span))

    def _lost_names(self) -> tuple[str, ...]:
        """Return the names of the stages of pipelines that are gone as a whole; "" for any name."""
        gone = [stages_of(node_at(self._tree, part)) for part in self.parts if _is_pipeline(part)]
        return tuple(name for stages in gone for name in ([""] if stages is None else map(name_of, stages)))

    def _around(self, pipelines: frozenset[str], *, is_late: bool) -> _Near:
        """Return what is unknown of *pipelines*, of all without any, and of what they share."""
        if (pipelines, is_late) not in self._near:
            parts = [part for part in self.parts if (is_late or not _is_aside(part)) and _is_near(part, pipelines)]
            inner = [part for part in parts if part[0] == "pipelines"]
            stages = {part[:STAGE]: part for part in inner if len(part) >= STAGE}
            missing = {part[:STAGE] for part in inner if part[STAGE:] == ("name",)}
            names = {path: name for path in stages if (name := name_of(node_at(self._tree, path)))}
            others = tuple(str(part[1]) for part in parts if len(part) == PIPELINE)
            self._near[pipelines, is_late] = _Near(
                stages=frozenset(stages),
                has_order=any(map(_is_order, inner)),
                is_loose=any(len(part) <= PIPELINE_KEY and not _is_order(part) for part in inner),
                names=(*others, *names.values()),
                missing=(*others, *(names[path] for path in names if path in missing)),
            )
        return self._near[pipelines, is_late]


def _is_near(part: Path, pipelines: Collection[str]) -> bool:
    """Return whether *part* is in one of *pipelines*, or in none; without pipelines, each is."""
    return part[0] != "pipelines" or not pipelines or part[1] in pipelines


def _is_aside(part: Path) -> bool:
    return part[0] == "pipelines" and part[-1] in _ASIDE and len(part) in (PIPELINE_KEY, STAGE_KEY)


def _is_order(part: Path) -> bool:
    return (len(part) == PIPELINE_KEY and part[2] in _ORDER) or part[STAGE:] == ("name",)


def _is_whole_stage(part: Path) -> bool:
    return len(part) == STAGE and part[2] == "stages"


def _is_pipeline(part: Path) -> bool:
    return len(part) == PIPELINE and part[0] == "pipelines"


def _pipeline(path: Path) -> str:
    """Return the pipeline in which *path* is; "" for none."""
    return str(path[1]) if path[:1] == ("pipelines",) and len(path) > 1 else ""


def _related(tree: Node) -> Mapping[str, frozenset[str]]:
    """Return for each pipeline those that it calls, that call it, and so on."""
    node = tree.get("pipelines") if isinstance(tree, Map) else None
    found: dict[str, frozenset[str]] = {}
    for entry in node.entries if isinstance(node, Map) else ():
        calls = [stage.get("pipeline") for stage in stages_of(entry.value) or () if isinstance(stage, Map)]
        group = {entry.key.text, *(name.text for name in calls if isinstance(name, Scalar))}
        whole = frozenset(group.union(*(found.get(name, frozenset()) for name in group)))
        found |= dict.fromkeys(whole, whole)
    return found


def _mentioned(found: Diagnostic, names: Iterable[str]) -> bool:
    """Return whether *found* speaks of one of *names*, or stands at a reference to it."""
    labels = [label for label in (found.primary, *found.related) if label is not None]
    places = [label.span.text for label in labels]
    words = "\n".join((found.message, found.hint or "", *(label.text for label in labels)))
    # Most names are nowhere in it.
    likely = [name for name in names if name in words or any(name in place for place in places)]
    return any(_is_said(words, name) or any(_reads(place, name) for place in places) for name in likely)


def _is_said(words: str, name: str) -> bool:
    """Return whether *words* speak of *name*, or of a stage that stands in its place."""
    return any(said in words for said in (f'"{name}"', f'"{name}:', f"{name} / ", f' / {name}"'))


def _reads(text: str, name: str) -> bool:
    """Return whether *text* is *name*, or has a reference to it; what a reserved name says is no output of a stage."""
    return text == name or (name not in _RESERVED and any(f"${{{name}{mark}" in text for mark in ".[|}"))
