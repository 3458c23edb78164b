"""The files that jobs leave, and where two of them would meet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from posixpath import basename, join, normpath

from pipegen.bindings.expression import Items, Loop
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.graph.closure import Closure
from pipegen.plan.model import Artifact, Build, Copy, CopyFile, Step

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
    return tuple(found.values())


def copied(files: Items[CopyFile]) -> Iterator[CopyFile]:
    """Yield the entries of a `copy`, those inside loops too."""
    for file in files:
        while isinstance(file, Loop):
            file = file.body  # noqa: PLW2901 - down to the entry
        yield file


def reads_files(steps: Sequence[Step]) -> bool:
    """Return whether *steps* see files of other stages: a build with a local context does."""
    return any(isinstance(step, Build) and step.has_local_context for step in steps)


def check_conflicts(
    files: Sequence[str], left: Mapping[str, tuple[Artifact, ...]], closure: Closure, report: Report
) -> None:
    """Report paths that two of the stages *files* leave although neither runs before the other."""
    for one, other in combinations(files, 2):
        if closure.is_before(one, other) or closure.is_before(other, one):
            continue
        for first in left[one]:
            for second in left[other]:
                if _meet(first.path, second.path):
                    report.add(
                        codes.CONFLICTING_FILES,
                        f'stages "{one}" and "{other}" both leave "{second.path}", and neither runs before the other',
                        at=second.span,
                        label=f'left by "{other}"',
                        also=[Label(first.span, f'left by "{one}"')],
                        hint="copy to different paths, or add an arc between the two stages",
                    )


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


def _meet(one: str | None, other: str | None) -> bool:
    if one is None or other is None:
        return False
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")
