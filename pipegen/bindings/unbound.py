"""Diagnostics for references to names that are never bound or always empty."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pipegen.bindings.expression import Reference
from pipegen.bindings.names import STEP_NAMES
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code, Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.structs import Struct, replace

# The diagnostic for a stage without the step.
_MISSING: dict[str, tuple[Code, str]] = {
    "build": (codes.NOTHING_BUILT, "builds no image"),
    "run": (codes.NOTHING_RAN, "runs nothing"),
    "copy": (codes.UNBOUND_NAME, "copies nothing"),
    "publish": (codes.NOTHING_PUBLISHED, "publishes no image"),
    "deploy": (codes.UNBOUND_NAME, "deploys nothing"),
}
_EXAMPLES = {
    "build": "build: VARIANT",
    "run": "run: true",
    "copy": "copy: [PATH]",
    "publish": "publish: {image: true}",
    "deploy": "deploy: {chart: {name: CHART}}",
}


class _StepDefault(Struct):
    """The default of a step, and how to write it with a value of the stage STAGE."""

    does: str
    example: str


# By the key of the step.
_STEP_DEFAULTS = {
    "run": _StepDefault("runs an image", "run: {image: '${STAGE.imageID}'}"),
    "image": _StepDefault("publishes an image", "image: {id: '${STAGE.imageID}'}"),
    "deploy": _StepDefault("deploys an image", "deploy: {image: '${STAGE.imageName}', tag: '${STAGE.imageTag}'}"),
    "promote": _StepDefault("promotes an image", "promote: [{version: '${STAGE.imageTag}'}]"),
    "copy": _StepDefault("copies from a container", "copy: [{from: '${STAGE.container}', source: PATH}]"),
}


def report_unbound(
    reference: Reference,
    producer: StageConfig,
    reader: StageConfig,
    bound: Collection[str],
    provider: Callable[[str], str | None],
    report: Report,
) -> None:
    """Report that *producer* does not bind the name: it lacks the step, or the name is wrong.

    *bound* are the names that *producer* binds; *provider* returns the nearest ancestor of *reader* that has a step.
    """
    step = next((step for step, names in STEP_NAMES.items() if reference.name in names), "")
    code, missing = _MISSING.get(step, (codes.UNBOUND_NAME, f'binds no "{reference.name}"'))
    name = producer.display_name
    # A default of PipelineLib, which the user has not written, has the span of the step's key.
    step_default = _STEP_DEFAULTS.get(reference.span.text) if producer is reader and step else None
    report.add(
        code,
        f'stage "{name}" {step_default.does}, but {missing}'
        if step_default
        else f'"{reference}" is not bound: stage "{name}" {missing}',
        at=reference.span,
        related=[] if producer is reader else [Label(producer.name.span, missing)],
        hint=_hint_at_step(reference, step, name, provider(step), step_default)
        if step
        else _hint_at_name(reference, producer, bound, is_own=producer is reader),
    )


def report_nested(reference: Reference, stage: str, report: Report) -> None:
    """Report a reference to a *stage* that calls another pipeline."""
    report.add(
        codes.UNBOUND_NAME,
        f'"{reference}" is not bound: stage "{stage}" calls another pipeline, whose values are private',
        at=reference.span,
        hint="bind the value in a stage of this pipeline, read it in a stage of that one, or pass a file",
    )


def _hint_at_name(reference: Reference, producer: StageConfig, bound: Collection[str], *, is_own: bool) -> str:
    last = reference.name.rpartition(".")[2]
    suggested = last if last in bound else suggestion(reference.name, bound)
    if suggested is not None:
        return f'write "{replace(reference, name=suggested)}"'
    known = f"binds {listed(tuple(bound), limit=20)}"
    if producer.script is None or is_own:
        return f'stage "{producer.display_name}" {known}'
    output = f'"outputs: {{{reference.name}: {{command: COMMAND}}}}"'
    # Every stage binds its name.
    return f'add {output} to stage "{producer.display_name}"' + (f"; it {known}" if len(bound) > 1 else "")


def _hint_at_step(
    reference: Reference, step: str, stage: str, provider: str | None, step_default: _StepDefault | None
) -> str:
    hint = f'add "{_EXAMPLES[step]}" to stage "{stage}"'
    if provider is None:
        return hint
    example = step_default.example if step_default else f"${{STAGE.{reference.name}}}"
    return f'{hint}, or use that of stage "{provider}": "{example.replace("STAGE", provider)}"'


def report_unknown_input(reference: Reference, inputs: Collection[str], report: Report) -> None:
    """Report a reference to an input that is not in *inputs*, those of the file."""
    suggested = suggestion(reference.name, inputs)
    if suggested is not None:
        hint = f'write "{replace(reference, name=suggested)}"'
    elif inputs:
        hint = f"the inputs are {listed(tuple(inputs))}"
    else:
        hint = f"add to the file: inputs: {{ {reference.name}: DEFAULT }}"
    report.add(codes.UNKNOWN_INPUT, f'there is no input "{reference.name}"', at=reference.span, hint=hint)


def check_output(reference: Reference, producer: StageConfig, report: Report) -> None:
    """Report a *reference* to the output of `run` in *producer* if it is not kept."""
    if reference.name == "output" and producer.run is not None and producer.run.tail == 0:
        report.add(
            codes.ALWAYS_EMPTY,
            f'"{reference}" is always empty: stage "{producer.display_name}" keeps no output',
            at=reference.span,
            related=[Label(producer.run.span, 'no "tail" here')],
            hint='add "tail: 10" to its "run" to keep the last 10 lines',
        )
