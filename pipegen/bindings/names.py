"""The names that steps bind, and the names that are there from the start."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Scalar, Sequence
from pipegen.structs import SpannedStruct

STEP_NAMES: dict[str, tuple[str, ...]] = {
    "build": ("imageID", "imageLocalName"),
    "run": ("container", "output"),
    "copy": ("artifactURLs",),
    "publish": ("imageName", "imageFullName", "imageTag", "imageTags", "publishedImage"),
    "deploy": ("releaseName",),
}
_NO_STEPS = (None,) * len(STEP_NAMES)
_STEP_OF = {name: step for step, names in STEP_NAMES.items() for name in names}

SETUP_NAMES = (
    "pipeline",
    "project",
    "projectShortName",
    "timestamp",
    "commit",
    "branch",
    "remote",
    "tag",
    "logURL",
    "imageLabels",
    "httpProxy",
)
# Jenkins' git plugin gives the GIT_ ones to a build; PipelineLib binds them all in `setup`.
_SETUP_VARIABLE = r"params\..+|GIT_[A-Z][A-Z0-9_]*"

RESERVED_STAGES = ("setup", "teardown")
# Not to be exported: the first is bound from the start, the second belongs to finally stages.
_RESERVED_EXPORTS = ("stage", "status")
_TAKEN = frozenset((*_STEP_OF, *_RESERVED_EXPORTS))


class Bound(SpannedStruct):
    """A name that a stage binds, and the step that does; *moment* is past once it is bound."""

    name: str
    step: str
    span: Span

    @property
    def moment(self) -> str:
        """The step; of an export, which is bound one by one, the step and the name."""
        return f"exports.{self.name}" if self.step == "exports" else self.step


def in_tag(name: str) -> str:
    """Return *name* as it may stand in the tag of an image."""
    return re.sub("[^A-Za-z0-9_.-]+", "-", name)


def is_setup_name(name: str) -> bool:
    """Return whether `${setup.NAME}` may be read; `params.X` is the parameter X."""
    return name in SETUP_NAMES or re.fullmatch(_SETUP_VARIABLE, name) is not None


def bound_names(stage: StageConfig) -> dict[str, Bound]:
    """Return what *stage* binds by name, in order; `stage` is bound before the first step."""
    bound = {"stage": Bound("stage", "", stage.name.span)}
    for output in outputs(stage):
        bound.setdefault(output.text, Bound(output.text, "script", output.span))
    for step, span in _step_spans(stage).items():
        for name in STEP_NAMES[step]:
            bound.setdefault(name, Bound(name, step, span))
    for export, _ in stage.exports:
        bound.setdefault(export.value, Bound(export.value, "exports", export.span))
    return bound


def providers(bound: Mapping[str, Mapping[str, Bound]]) -> dict[str, tuple[str, ...]]:
    """Return, for each step that binds names, the stages that have it; *bound* is what all stages bind."""
    found: dict[str, dict[str, None]] = {}
    for stage, names in bound.items():
        for one in names.values():
            found.setdefault(one.step, {})[stage] = None
    return {step: tuple(stages) for step, stages in found.items()}


def outputs(stage: StageConfig) -> tuple[Scalar, ...]:
    """Return the names of the outputs that the script of *stage* leaves."""
    if stage.outputs is None:
        return ()
    node = stage.outputs.node
    if type(node) is Map:
        return tuple([entry.key for entry in node.entries])
    return tuple([item for item in node.items if isinstance(item, Scalar)]) if isinstance(node, Sequence) else ()


def check_names(stage: StageConfig, bound: Mapping[str, Bound], report: Report) -> None:
    """Report outputs and exports of names that the stage binds already; *bound* is all that it binds."""
    if stage.outputs is None and not stage.exports:
        return
    named = [(name.text, name.span) for name in outputs(stage)]
    named += [(name.value, name.span) for name, _ in stage.exports]
    names = dict(named)
    if len(names) == len(named) and _TAKEN.isdisjoint(names):
        return
    # What a step binds cannot be renamed, so the user's own name is at fault wherever it stands.
    places = dict(bound) | {
        name: Bound(name, step, span) for step, span in _step_spans(stage).items() for name in STEP_NAMES[step]
    }
    for name, span in named:
        first = places.get(name)
        if name in _RESERVED_EXPORTS:
            report.add(
                codes.BOUND_TWICE,
                f'"{name}" is bound by pipegen itself',
                at=span,
                hint="give the value another name",
            )
        elif first is not None and first.span != span:
            step = _STEP_OF.get(name, first.step)
            report.add(
                codes.BOUND_TWICE,
                f'stage "{stage.said}" binds "{name}" twice',
                at=span,
                label="bound again",
                also=[Label(first.span, f'"{step}" binds it')],
                hint=f'names bind once: remove this one ("{step}" binds "{name}" already) or rename it',
            )


def _step_spans(stage: StageConfig) -> dict[str, Span]:
    """Return the place of each step of *stage* that binds names."""
    steps = (stage.build, stage.run, stage.copy, stage.publish, stage.deploy)
    if steps == _NO_STEPS:
        return {}
    return {name: step.span for name, step in zip(STEP_NAMES, steps, strict=True) if step is not None}
