"""PipelineLib's short-hand: a stage with only a name builds and runs the variant of that name."""

from __future__ import annotations

from pipegen.config.merge import is_null
from pipegen.source.tree import Entry, Mapping, Scalar, ScalarKind

# Keys that say nothing of what a stage does.
_ASIDE = ("name", "description", "directory")
# Keys that say what stages run instead, also where they come from the defaults.
_INSTEAD = ("script", "pipeline")


def is_short(written: Mapping, base: Mapping) -> bool:
    """Return whether a stage is the short-hand, as *written* by the user; *base* is what it inherits."""
    for entry in written.entries:
        if entry.key.text not in _ASIDE and not is_null(entry.value):
            return False
    return not any(base.entry(key) for key in _INSTEAD)


def written_out(stage: Mapping) -> Mapping:
    """Return the short *stage* with its steps; those that it inherits stay."""
    name = stage.entry("name")
    place = name.value.span if name is not None else stage.span
    steps = (
        Entry(Scalar("build", place), Scalar("${.stage}", place)),
        Entry(Scalar("run", place), Scalar("true", place, ScalarKind.BOOLEAN)),
    )
    return Mapping((*stage.entries, *(step for step in steps if stage.entry(step.key.text) is None)), stage.span)
