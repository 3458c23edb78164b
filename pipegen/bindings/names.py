"""The names that steps bind, and the names that are there from the start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span

# The order in which PipelineLib takes a stage's steps.
STEPS = ("build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger")

STEP_NAMES: dict[str, tuple[str, ...]] = {
    "build": ("imageID", "imageLocalName"),
    "run": ("container", "output"),
    "copy": ("artifactURLs",),
    "publish": ("imageName", "imageFullName", "imageTag", "imageTags", "publishedImage"),
    "deploy": ("releaseName",),
}

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
_SETUP_VARIABLE = re.compile(r"params\..+|GIT_[A-Z][A-Z0-9_]*")

RESERVED_STAGES = ("setup", "teardown")
# Not to be exported: the first is bound from the start, the second belongs to finally stages.
_RESERVED_EXPORTS = ("stage", "status")


@dataclass(frozen=True, slots=True)
class Bound:
    """A name that a stage binds, and the step that does; *moment* is past once it is bound."""

    name: str
    step: str
    span: Span = field(compare=False)

    @property
    def moment(self) -> str:
        """The step; of an export, which is bound one by one, the step and the name."""
        return f"exports.{self.name}" if self.step == "exports" else self.step


def is_setup_name(name: str) -> bool:
    """Return whether `${setup.NAME}` may be read; `params.X` is the parameter X."""
    return name in SETUP_NAMES or _SETUP_VARIABLE.fullmatch(name) is not None


def bound_names(stage: Stage) -> tuple[Bound, ...]:
    """Return what *stage* binds, in order; `stage` is bound before the first step."""
    bound = [Bound("stage", "", stage.name.span)]
    for step, names in STEP_NAMES.items():
        span = _step_span(stage, step)
        if span is not None:
            bound += [Bound(name, step, span) for name in names]
    seen = {one.name for one in bound}
    for name, _ in stage.exports:
        if name.value not in seen:
            bound.append(Bound(name.value, "exports", name.span))
    return tuple(bound)


def providers(bound: Mapping[str, tuple[Bound, ...]]) -> dict[str, tuple[str, ...]]:
    """Return, for each step that binds names, the stages that have it; *bound* is what all stages bind."""
    found: dict[str, dict[str, None]] = {}
    for stage, names in bound.items():
        for one in names:
            found.setdefault(one.step, {})[stage] = None
    return {step: tuple(stages) for step, stages in found.items()}


def check_names(stage: Stage, report: Report) -> None:
    """Report exports of names that the stage binds already."""
    steps = {name: step for step, names in STEP_NAMES.items() for name in names}
    places = {one.name: one for one in bound_names(stage)}
    for name, _ in stage.exports:
        if name.value in _RESERVED_EXPORTS:
            report.add(
                codes.BOUND_TWICE,
                f'"{name.value}" is bound by pipegen itself',
                at=name.span,
                hint="export the value under another name",
            )
        elif places[name.value].step != "exports":
            step = steps[name.value]
            report.add(
                codes.BOUND_TWICE,
                f'stage "{stage.name.value}" binds "{name.value}" twice',
                at=name.span,
                label="bound again",
                also=[Label(places[name.value].span, f'"{step}" binds it')],
                hint=f'names bind once: remove this export ("{step}" exports "{name.value}" already) or rename it',
            )


def _step_span(stage: Stage, step: str) -> Span | None:
    found = {
        "build": stage.build,
        "run": stage.run,
        "copy": stage.copy,
        "publish": stage.publish,
        "deploy": stage.deploy,
    }[step]
    return found.span if found is not None else None
