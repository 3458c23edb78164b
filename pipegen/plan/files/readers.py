"""Files that steps leave for later jobs, and steps that read such files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import basename, join, normpath

from pipegen.plan.model import Artifact, BuildImage, Commands, Copy, CopyFile, Leave, Step

# Characters without a meaning in the path patterns of engines (Ant's, GitLab's).
_PLAIN_PATH = r"[^*?\[\]{}\\,!$'\"\x00-\x1f\x7f]+"


def artifacts(steps: Sequence[Step], directory: str) -> tuple[Artifact, ...]:
    """Return the artifacts that *steps* leave for descendants, each path once."""
    by_path: dict[str | None, Artifact] = {}
    for step in steps:
        if type(step) is Copy:
            for file in step.entries:
                path = _path(file, directory)
                is_folder = (file.source.constant or "").endswith("/")
                by_path.setdefault(path, Artifact(path=path, span=file.destination.span, is_folder=is_folder))
        elif type(step) is Leave:
            by_path.setdefault(None, Artifact(path=None, span=step.span))
    return tuple(by_path.values())


def reads_files(steps: Sequence[Step]) -> bool:
    """Return whether *steps* read files of other stages: a script and a build with a local context do."""
    return any(
        isinstance(step, Commands) or (isinstance(step, BuildImage) and step.has_local_context) for step in steps
    )


def _path(file: CopyFile, directory: str) -> str | None:
    destination, source = file.destination.constant, file.source.constant
    if destination is None:
        return None
    if normpath(destination) == ".":
        # Into the stage's own directory: only the copied file is an artifact, not the whole directory.
        if source is None or source.endswith(("/", "/.")) or not basename(source):
            return None
        destination = basename(source)
    path = normpath(join(directory, destination))
    return (
        path if re.fullmatch(_PLAIN_PATH, path) and not path.startswith(("-", " ")) and not path.endswith(" ") else None
    )
