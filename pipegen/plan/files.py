"""The files that jobs leave, and where two of them would meet."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from posixpath import basename, join, normpath
from typing import ClassVar

from pipegen.bindings.expression import Items, Loop
from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.plan.model import Artifact, Build, Commands, Copy, CopyFile, Leave, Step
from pipegen.plan.patterns import is_pattern, matches
from pipegen.structs import SpannedStruct, Struct, replace

# What the engines' own path patterns (Ant's, GitLab's) take literally.
_PLAIN_PATH = re.compile(r"[^*?\[\]{}\\,!$'\"\x00-\x1f\x7f]+")


def artifacts(steps: Sequence[Step], directory: str) -> tuple[Artifact, ...]:
    """Return what *steps* leave for descendants, each path once."""
    found: dict[str | None, Artifact] = {}
    for step in steps:
        if isinstance(step, Copy):
            for file in copied(step.files):
                path = _path(file, directory)
                found.setdefault(path, Artifact(path=path, span=file.destination.span))
        elif isinstance(step, Leave):
            found.setdefault(None, Artifact(path=None, span=step.span))
    return tuple(found.values())


def copied(files: Items[CopyFile]) -> Iterator[CopyFile]:
    """Yield the entries of a `copy`, those inside loops too."""
    for file in files:
        while isinstance(file, Loop):
            file = file.body  # noqa: PLW2901 - down to the entry
        yield file


def reads_files(steps: Sequence[Step]) -> bool:
    """Return whether *steps* see files of other stages: a script and a build with a local context do."""
    return any(isinstance(step, Commands) or (isinstance(step, Build) and step.has_local_context) for step in steps)


class Left(SpannedStruct):
    """What the stage number *order* leaves; stages are numbered in an order that the arcs allow."""

    UNCOMPARED: ClassVar = ("artifact",)

    order: int
    stage: str
    artifact: Artifact


Conflict = tuple[Left, Left]


class Meetings(Struct):
    """What meets where all that the stages leave comes together.

    Attributes:
        conflicts: two of which neither stage runs before the other.
        later: stage and path of the later one, where the two stages run in order.
    """

    conflicts: tuple[Conflict, ...]
    later: frozenset[tuple[str, str | None]]

    def marked(self, stage: str, artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
        """Return the *artifacts* of *stage*, those marked that overwrite what an ancestor leaves."""
        return tuple(replace(one, overwrites=(stage, one.path) in self.later) for one in artifacts)


def meetings(left: Mapping[str, Sequence[Artifact]], closure: Closure) -> Meetings:
    """Return what meets of what is *left*, whose stages come in an order that the arcs allow."""
    places: dict[str, list[Left]] = {}
    for order, (stage, artifacts) in enumerate(left.items()):
        for artifact in artifacts:
            if artifact.path is not None:
                places.setdefault(artifact.path, []).append(Left(order, stage, artifact))
    conflicts: list[Conflict] = []
    later: set[tuple[str, str | None]] = set()
    for one, other in _meeting(places):
        if closure.is_before(one.stage, other.stage):
            # No tar is made of what a pattern stands for: engines hand that on in their own order.
            if not is_pattern(other.artifact.path or ""):
                later.add((other.stage, other.artifact.path))
        else:
            conflicts.append((one, other))
    return Meetings(tuple(conflicts), frozenset(later))


def _meeting(places: Mapping[str, Sequence[Left]]) -> Iterator[Conflict]:
    """Yield what is left at the same path, or at a path and below it, by two stages; the earlier one first.

    Whether two patterns stand for the same path only a run can tell.
    """
    patterns = [path for path in places if is_pattern(path)]
    for path, here in places.items():
        steps = path.split("/")
        above = [one for end in range(1, len(steps)) for one in places.get("/".join(steps[:end]), ())]
        if not is_pattern(path):
            above += [one for pattern in patterns if matches(pattern, path) for one in places[pattern]]
        for pair in chain(combinations(here, 2), product(above, here)):
            one, other = sorted(pair, key=lambda left: left.order)
            if one.stage != other.stage:
                yield one, other


def check_conflicts(
    files: Container[str], found: Iterable[Conflict], stages: Mapping[str, Stage], report: Report
) -> None:
    """Report each conflict between two of the stages *files*, and once what legs of one stage leave."""
    told: set[str] = set()
    for one, other in found:
        if one.stage not in files or other.stage not in files:
            continue
        said, path = _common(stages[one.stage], stages[other.stage]), other.artifact.path
        if said is None:
            report.add(
                codes.CONFLICTING_FILES,
                f'stages "{one.stage}" and "{other.stage}" both leave "{path}", and neither runs before the other',
                at=other.artifact.span,
                label=f'left by "{other.stage}"',
                also=[Label(one.artifact.span, f'left by "{one.stage}"')],
                hint="leave it at different paths, or add an arc between the two stages",
            )
        elif said not in told:
            told.add(said)
            report.add(
                codes.CONFLICTING_FILES,
                f'the legs of stage "{said}" all leave "{path}", and a later stage would find that of one',
                at=other.artifact.span,
                label="left by each leg",
                hint="put an axis into the path, as in dist/${matrix.AXIS}/, or let later stages take no files of it "
                'with "files_from"',
            )


def _common(one: Stage, other: Stage) -> str | None:
    """Return the stage that both are legs of, if they are."""
    is_one = one.leg is not None and (one.within, one.said) == (other.within, other.said)
    return one.said if is_one else None


def _path(file: CopyFile, directory: str) -> str | None:
    destination, source = file.destination.constant, file.source.constant
    if destination is None:
        return None
    if normpath(destination) == ".":
        # Into the stage's own directory: only what is copied travels, not all that stands there.
        if source is None or source.endswith(("/", "/.")) or not basename(source):
            return None
        destination = basename(source)
    path = normpath(join(directory, destination))
    return path if _PLAIN_PATH.fullmatch(path) and not path.startswith(("-", " ")) and not path.endswith(" ") else None
