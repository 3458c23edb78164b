"""The key `fetch` of a stage: how it fetches the repository."""

from __future__ import annotations

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import BuildImage, StageFetch, Step, Submodules, Workspace
from pipegen.source.tree import Mapping, Scalar


def fetch(
    stage: StageConfig, pipeline: PipelineConfig, directory: str, steps: tuple[Step, ...], report: Report
) -> StageFetch | None:
    """Return how *stage*, which runs *steps* in *directory*, fetches the repository; None is as its pipeline does."""
    is_shared = pipeline.workspace is not None and pipeline.workspace.value == Workspace.SHARED.value
    if stage.posts and directory == "." and not is_shared:
        # A message needs nothing of the repository.
        return StageFetch(is_skipped=True)
    if stage.fetch is None:
        return None
    node = stage.fetch.node
    if is_shared:
        report.add(
            codes.INVALID_VALUE,
            "all stages of a shared workspace use the same checkout",
            at=stage.fetch.span,
            hint='write "fetch" in the pipeline, or remove "workspace: shared"',
        )
        return None
    if not isinstance(node, Mapping):
        if use := _use_of_repository(directory, steps):
            report.add(
                codes.INVALID_VALUE,
                f'stage "{stage.display_name}" does not fetch the repository, but {use}',
                at=stage.fetch.span,
                hint='remove "fetch: false"',
            )
        return StageFetch(is_skipped=True)
    values = {entry.key.text: entry.value.value for entry in node.entries if isinstance(entry.value, Scalar)}
    depth = 0 if values.get("shallow") is False else values.get("depth")
    submodule_depth, tags, clone = (values.get(key) for key in ("submodule_depth", "tags", "clone"))
    return StageFetch(
        depth=depth if isinstance(depth, int) else None,
        submodules=submodules_of(values["submodules"]) if "submodules" in values else None,
        tags=tags if isinstance(tags, bool) else None,
        submodule_depth=submodule_depth if isinstance(submodule_depth, int) else None,
        clone=clone if isinstance(clone, bool) else None,
        path=str(values.get("path", "")),
    )


def submodules_of(value: object) -> Submodules:
    """Return which submodules the *value* of `submodules` says."""
    if value == "direct":
        return Submodules.DIRECT
    return Submodules.ALL if value else Submodules.NONE


def _use_of_repository(directory: str, steps: tuple[Step, ...]) -> str:
    """Return what a stage that runs *steps* in *directory* takes from the repository, "" for nothing."""
    if directory != ".":
        return f'runs in its folder "{directory}"'
    if any(isinstance(step, BuildImage) and step.has_local_context for step in steps):
        return "builds an image from it"
    return ""
