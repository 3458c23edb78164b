"""The names that steps bind, and the predefined names."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as Map
from pipegen.source.tree import Scalar, Sequence
from pipegen.structs import SpannedStruct, Struct

# The steps of a stage, in the order in which they run.
STEPS = ("script", "build", "run", "copy", "publish", "promote", "deploy", "exports", "trigger")
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
    "shortCommit",
    "defaultBranch",
    "changeRequest",
    "sourceBranch",
    "targetBranch",
    "event",
    "actor",
    "run",
    "previousResult",
    "logURL",
    "imageLabels",
    "httpProxy",
)
# Jenkins' git plugin sets the GIT_ variables of a build; PipelineLib binds all of them in `setup`.
_SETUP_VARIABLE = r"params\..+|GIT_[A-Z][A-Z0-9_]*"

# Names that cannot be exported: "stage" is predefined, "status" is read by finally stages.
_RESERVED_EXPORTS = ("stage", "status")
_TAKEN = frozenset((*_STEP_OF, *_RESERVED_EXPORTS))


class Moment(Struct):
    """A moment in the run of a stage: *passed* steps and exports are over, or the stage *has_failed*."""

    passed: int = 0
    has_failed: bool = False


START, END, FAILED = Moment(), Moment(sys.maxsize), Moment(has_failed=True)


def before(step: str, exports: int = 0) -> Moment:
    """Return the moment before *step*; for `exports`, after the first *exports* ones."""
    return Moment(STEPS.index(step) + exports)


class Bound(SpannedStruct):
    """A name that a stage binds, with the *step* that binds it; *number* counts exports."""

    name: str
    step: str
    span: Span
    number: int = 0

    @property
    def is_declared(self) -> bool:
        """Whether an output of the script or an export has the name: it is any text, also if steps can bind it."""
        return self.step in ("script", "exports")

    def is_bound(self, moment: Moment) -> bool:
        """Return whether the name is bound at *moment*: `stage` is bound from the start, also of a failed stage."""
        return not self.step or STEPS.index(self.step) + self.number < moment.passed


def in_tag(name: str) -> str:
    """Return *name* with only the characters that an image tag may contain."""
    return re.sub("[^A-Za-z0-9_.-]+", "-", name)


def is_setup_name(name: str) -> bool:
    """Return whether `${setup.NAME}` exists; `params.X` is the parameter X."""
    return name in SETUP_NAMES or re.fullmatch(_SETUP_VARIABLE, name) is not None


def bound_names(stage: StageConfig) -> dict[str, Bound]:
    """Return the names that *stage* binds, in order; `stage` is bound before the first step."""
    bound = {"stage": Bound("stage", "", stage.name.span)}
    for output in outputs(stage):
        bound.setdefault(output.text, Bound(output.text, "script", output.span))
    for step, span in _step_spans(stage).items():
        for name in STEP_NAMES[step]:
            bound.setdefault(name, Bound(name, step, span))
    for number, (export, _) in enumerate(stage.exports):
        bound.setdefault(export.value, Bound(export.value, "exports", export.span, number))
    return bound


def providers(bound: Mapping[str, Mapping[str, Bound]]) -> dict[str, tuple[str, ...]]:
    """Return the stages that have each step, by step; *bound* maps stages to the names that they bind."""
    stages_by_step: dict[str, dict[str, None]] = {}
    for stage, names in bound.items():
        for binding in names.values():
            stages_by_step.setdefault(binding.step, {})[stage] = None
    return {step: tuple(stages) for step, stages in stages_by_step.items()}


def outputs(stage: StageConfig) -> tuple[Scalar, ...]:
    """Return the names of the outputs of the script of *stage*."""
    if stage.outputs is None:
        return ()
    node = stage.outputs.node
    if type(node) is Map:
        return tuple([entry.key for entry in node.entries])
    return tuple([item for item in node.items if isinstance(item, Scalar)]) if isinstance(node, Sequence) else ()


def check_names(stage: StageConfig, bound: Mapping[str, Bound], report: Report) -> None:
    """Report outputs and exports whose names the stage already binds; *bound* are all names that it binds."""
    if stage.outputs is None and not stage.exports:
        return
    names_and_spans = [(name.text, name.span) for name in outputs(stage)]
    names_and_spans += [(name.value, name.span) for name, _ in stage.exports]
    names = dict(names_and_spans)
    if len(names) == len(names_and_spans) and _TAKEN.isdisjoint(names):
        return
    # The names that steps bind are fixed, so the user's own name is reported.
    binders = dict(bound) | {
        name: Bound(name, step, span) for step, span in _step_spans(stage).items() for name in STEP_NAMES[step]
    }
    for name, span in names_and_spans:
        binder = binders.get(name)
        if name in _RESERVED_EXPORTS:
            report.add(
                codes.BOUND_TWICE,
                f'"{name}" is a reserved name',
                at=span,
                hint="choose another name",
            )
        elif binder is not None and binder.span != span:
            step = _STEP_OF.get(name, binder.step)
            report.add(
                codes.BOUND_TWICE,
                f'stage "{stage.display_name}" binds "{name}" twice',
                at=span,
                label="bound again",
                related=[Label(binder.span, f'"{step}" binds it')],
                hint=f'remove this name or rename it: "{step}" already binds "{name}"',
            )


def _step_spans(stage: StageConfig) -> dict[str, Span]:
    """Return the span of each step of *stage* that binds names."""
    steps = (stage.build, stage.run, stage.copy, stage.publish, stage.deploy)
    if steps == _NO_STEPS:
        return {}
    return {name: step.span for name, step in zip(STEP_NAMES, steps, strict=True) if step is not None}
