"""Files that steps leave for later jobs, and steps that read such files."""

from __future__ import annotations

from collections.abc import Sequence

from pipegen.plan.model import Artifact, BuildImage, Commands, Copy, Leave, Step


def artifacts(steps: Sequence[Step], directory: str) -> tuple[Artifact, ...]:
    """Return the artifacts that *steps* leave for descendants, each path once."""
    by_path: dict[str | None, Artifact] = {}
    for step in steps:
        if type(step) is Copy:
            for file in step.entries:
                path = file.artifact_path(directory)
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
