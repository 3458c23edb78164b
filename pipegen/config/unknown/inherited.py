"""Parts of stages that are unknown because they inherit unknown parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pipegen.config.schema.parts import PIPELINE, PIPELINE_KEY
from pipegen.config.schema.violation import Path
from pipegen.config.templates import Templates
from pipegen.source.tree import Mapping as Map


def inherited_parts(bodies: Mapping[Path, Map], templates: Templates, parts: Sequence[Path]) -> list[Path]:
    """Return *parts*, with parts of templates and defaults replaced by those of the stages that inherit them.

    *bodies* are the defaults and the stages of all pipelines. Each stage has its own name, so a key `name` of defaults
    or of a template makes nothing unknown.
    """
    parts = [part for part in parts if not (_is_inherited(part) and part[PIPELINE:][-1:] == ("name",))]
    stage_parts = {part: None for part in parts if not _is_inherited(part)}
    keys: dict[str, list[Path]] = {}
    for part in parts:
        if part[0] == "templates" and len(part) > 1:
            keys.setdefault(str(part[1]), []).append(part[2:])
    for path, body in bodies.items():
        inherited = [key for name in templates.names(body) for key in keys.get(name, ())]
        if path[2] != "defaults":
            stage_parts |= {(*path, *key): None for key in inherited}
        elif inherited:
            stage_parts |= _of_stages(path[:PIPELINE], bodies, inherited)
    for part in parts:
        if part[2:PIPELINE_KEY] == ("defaults",):
            stage_parts |= _of_stages(part[:PIPELINE], bodies, [part[PIPELINE_KEY:]])
    return list(stage_parts)


def _is_inherited(part: Path) -> bool:
    return (part[0] == "templates" and len(part) > 1) or part[2:PIPELINE_KEY] == ("defaults",)


def _of_stages(pipeline: Path, bodies: Mapping[Path, Map], keys: Sequence[Path]) -> dict[Path, None]:
    """Return *keys* of each stage of *pipeline*."""
    stages = [path for path in bodies if path[:PIPELINE] == pipeline and path[2] == "stages"]
    return {(*stage, *key): None for stage in stages for key in keys}
