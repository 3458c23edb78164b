"""What holds of a config of which parts are unknown, since they have errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pipegen.config.schema.violation import Path
from pipegen.config.unknown.index import Index
from pipegen.config.unknown.parts import (
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
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.reach import Reach, reach
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Node, Scalar

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


class Unknown:
    """The *parts* of a config that are unknown; *tree* is the config, every stage written out.

    *lost* are the names of stages of pipelines that are gone from the tree; "" stands for any name.
    """

    def __init__(self, tree: Node, parts: Iterable[Path], lost: Iterable[str] = ()) -> None:
        self.parts: dict[Path, None] = dict.fromkeys(parts)
        self._tree = tree
        # Of what does not fit the schema, names may be wrong too.
        self._misread = tuple(self.parts)
        self._index = Index(tree)
        self._lost = tuple(lost)
        self._related = _related(tree)

    def add(self, errors: Sequence[Diagnostic]) -> bool:
        """Add the parts in which *errors* are; return whether there are any that were known."""
        found: list[Path] = []
        for error in errors:
            for path in self._index.paths(error.primary.span) if error.primary is not None else ():
                part = self._part(path)
                if _is_whole_stage(part) and part in self.parts and (*part, "name") not in self.parts:
                    # Its name is wrong: without it, arcs through it are not what they were.
                    found.append((*part, "name"))
                elif (wider := larger(part, self.parts)) is not None:
                    found.append(wider)
        self.parts |= dict.fromkeys(found)
        return bool(found)

    def add_stages(self) -> bool:
        """Add all of each stage of which a part is unknown; return whether there are any that were known."""
        found = {part[:STAGE]: None for part in self.parts if part[:1] == ("pipelines",) and len(part) == STAGE_KEY}
        is_wider = not found.keys() <= self.parts.keys()
        self.parts |= found
        return is_wider

    def vouches_for(self, found: Diagnostic) -> bool:
        """Return whether *found* holds however the parts that are unknown are corrected."""
        if not self.parts:
            return True
        extent, is_late = reach(found.code), found.code.number >= "PG6"
        if found.code in _NAMES and self._is_open(_NAMES[found.code]):
            return False
        places = self._places(found)
        pipelines = {name for path in places for name in self._related.get(_pipeline(path), {_pipeline(path)}) if name}
        counted = [part for part in self.parts if is_late or not _is_aside(part)]
        near = [part for part in counted if _is_near(part, pipelines)]
        if found.code in _NAMESPACES and any(not name or _mentions(found, name) for name in self._lost_names()):
            return False
        if any(_mentions(found, name) for name in self._names(near, is_only_gone=extent is Reach.NAMES)):
            return False
        return not counted if extent is Reach.FILE else _is_certain(extent, near, places, pipelines)

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
        """Return the names of the stages of pipelines that are gone as a whole."""
        gone = [stages_of(node_at(self._tree, part)) for part in self.parts if _is_pipeline(part)]
        return (*self._lost, *(name for stages in gone for name in ([""] if stages is None else map(name_of, stages))))

    def _names(self, parts: Collection[Path], *, is_only_gone: bool) -> tuple[str, ...]:
        """Return the names of *parts*; of those stages alone that are not there at all, if asked so."""
        found = [str(part[1]) for part in parts if len(part) == PIPELINE]
        for part in parts:
            is_stage = part[0] == "pipelines" and len(part) >= STAGE and part[2] == "stages"
            if is_stage and (not is_only_gone or part[STAGE:] == ("name",)):
                found.append(name_of(node_at(self._tree, part[:STAGE])))
        return tuple(dict.fromkeys(found))


def _is_certain(extent: Reach, near: Sequence[Path], places: Sequence[Path], pipelines: Collection[str]) -> bool:
    """Return whether what is *near* leaves nothing open of what stands at *places*, which goes so far."""
    inner = [part for part in near if part[0] == "pipelines"]
    if extent is Reach.PIPELINE:
        return not inner
    if extent is Reach.ORDER and any(_is_order(part) for part in inner):
        return False
    if extent < Reach.STAGE:
        return True
    if not pipelines:
        return not inner
    stages = {path[:STAGE] for path in places}
    return not any((len(part) <= PIPELINE_KEY and not _is_order(part)) or part[:STAGE] in stages for part in inner)


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


def _mentions(found: Diagnostic, name: str) -> bool:
    """Return whether *found* speaks of *name*, or stands at a reference to it."""
    labels = [label for label in (found.primary, *found.related) if label is not None]
    said: Collection[str] = (found.message, found.hint or "", *(label.text for label in labels))
    return any(
        f'"{name}"' in words or f'"{name}:' in words or f"{name} / " in words or f' / {name}"' in words
        for words in said
    ) or any(_reads(label.span.text, name) for label in labels)


def _reads(text: str, name: str) -> bool:
    """Return whether *text* is *name*, or has a reference to it; what a reserved name says is no output of a stage."""
    return text == name or (name not in _RESERVED and any(f"${{{name}{mark}" in text for mark in ".[|}"))
