"""What to say of a name that a stage never binds."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.bindings.expression import Reference
from pipegen.bindings.names import STEP_NAMES, Bound
from pipegen.config.model import Stage
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code, Label
from pipegen.diagnostics.report import Report, listed, near_miss

_MISSING_STEP: dict[str, tuple[Code, str]] = {
    "build": (codes.NOTHING_BUILT, "builds no image"),
    "run": (codes.NOTHING_RAN, "runs nothing"),
    "publish": (codes.NOTHING_PUBLISHED, "publishes no image"),
}


def report_unbound(
    reference: Reference,
    producer: Stage,
    reader: Stage,
    bound: tuple[Bound, ...],
    providers: Mapping[str, str],
    report: Report,
) -> None:
    """Report that *producer* binds no such name: because it lacks the step, or because the name is wrong.

    *bound* is what *producer* binds; *providers* names, for each step, the nearest
    ancestor of *reader* that has it.
    """
    step = next((step for step, names in STEP_NAMES.items() if reference.name in names), "")
    code, lacks = _MISSING_STEP.get(step, (codes.UNBOUND_NAME, f'binds no "{reference.name}"'))
    name = producer.name.value
    is_own = producer is reader
    if is_own and reference.span.text in _WANTS and code is not codes.UNBOUND_NAME:
        # A default of PipelineLib's, which the user has not written: it stands at the key of the step.
        message = f'stage "{name}" {_WANTS[reference.span.text]}, but {lacks}'
    else:
        message = f'"{reference}" is not bound: stage "{name}" {lacks}'
    also = [] if is_own else [Label(producer.name.span, lacks)]
    hint = _hint_at_name(reference, name, bound) if code is codes.UNBOUND_NAME else _hint_at_step(step, name, providers)
    report.add(code, message, at=reference.span, also=also, hint=hint)


# The key at which a default stands, and what the step then does.
_WANTS = {
    "run": "runs an image",
    "image": "publishes an image",
    "deploy": "deploys an image",
    "promote": "promotes an image",
    "copy": "copies from a container",
}


def _hint_at_name(reference: Reference, stage: str, bound: tuple[Bound, ...]) -> str:
    names = [one.name for one in bound]
    found = near_miss(reference.name, names)
    return f'write "{found}"' if found else f'stage "{stage}" binds {listed(names, limit=20)}'


def _hint_at_step(step: str, stage: str, providers: Mapping[str, str]) -> str:
    add, names = _REMEDIES.get(step, (f"{step}: …", STEP_NAMES[step][:1]))
    hint = f'add "{add}" to stage "{stage}"'
    if step in providers:
        hint += ", or read from an earlier stage: " + " and ".join(f'"${{{providers[step]}.{name}}}"' for name in names)
    return hint


# What adds a step, and which of its names a reader then wants.
_REMEDIES = {
    "build": ("build: VARIANT", ("imageID",)),
    "run": ("run: true", ("container",)),
    "publish": ("publish: {image: true}", ("imageName", "imageTag")),
}
