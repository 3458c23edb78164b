"""What to say of a name that a stage never binds, or binds to nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from pipegen.bindings.expression import Reference
from pipegen.bindings.names import STEP_NAMES
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code, Label
from pipegen.diagnostics.report import Report, listed, suggestion
from pipegen.structs import Struct, replace

# What a stage without the step lacks.
_LACKS: dict[str, tuple[Code, str]] = {
    "build": (codes.NOTHING_BUILT, "builds no image"),
    "run": (codes.NOTHING_RAN, "runs nothing"),
    "copy": (codes.UNBOUND_NAME, "copies nothing"),
    "publish": (codes.NOTHING_PUBLISHED, "publishes no image"),
    "deploy": (codes.UNBOUND_NAME, "deploys nothing"),
}
_ADD = {
    "build": "build: VARIANT",
    "run": "run: true",
    "copy": "copy: [PATH]",
    "publish": "publish: {image: true}",
    "deploy": "deploy: {chart: {name: CHART}}",
}


class _Want(Struct):
    """What a step does by default, and how it is told to do that with what the stage STAGE made."""

    does: str
    instead: str


# By the key of the step.
_WANTS = {
    "run": _Want("runs an image", "run: {image: '${STAGE.imageID}'}"),
    "image": _Want("publishes an image", "image: {id: '${STAGE.imageID}'}"),
    "deploy": _Want("deploys an image", "deploy: {image: '${STAGE.imageName}', tag: '${STAGE.imageTag}'}"),
    "promote": _Want("promotes an image", "promote: [{version: '${STAGE.imageTag}'}]"),
    "copy": _Want("copies from a container", "copy: [{from: '${STAGE.container}', source: PATH}]"),
}


def report_unbound(
    reference: Reference,
    producer: StageConfig,
    reader: StageConfig,
    bound: Collection[str],
    provider: Callable[[str], str | None],
    report: Report,
) -> None:
    """Report that *producer* binds no such name: because it lacks the step, or because the name is wrong.

    *bound* are the names that *producer* binds; *provider* names the nearest ancestor of *reader* that has a step.
    """
    step = next((step for step, names in STEP_NAMES.items() if reference.name in names), "")
    code, lacks = _LACKS.get(step, (codes.UNBOUND_NAME, f'binds no "{reference.name}"'))
    name = producer.said
    # A default of PipelineLib's, which the user has not written, stands at the key of the step.
    want = _WANTS.get(reference.span.text) if producer is reader and step else None
    report.add(
        code,
        f'stage "{name}" {want.does}, but {lacks}' if want else f'"{reference}" is not bound: stage "{name}" {lacks}',
        at=reference.span,
        also=[] if producer is reader else [Label(producer.name.span, lacks)],
        hint=_hint_at_step(reference, step, name, provider(step), want)
        if step
        else _hint_at_name(reference, name, bound),
    )


def report_nested(reference: Reference, stage: str, report: Report) -> None:
    """Report a reference to a *stage* in whose place another pipeline runs."""
    report.add(
        codes.UNBOUND_NAME,
        f'"{reference}" is not bound: another pipeline runs in the place of stage "{stage}", and keeps its values',
        at=reference.span,
        hint="bind the value in a stage of this pipeline, or read it in a stage of that one; files are handed on",
    )


def _hint_at_name(reference: Reference, stage: str, bound: Collection[str]) -> str:
    found = suggestion(reference.name, bound)
    known = listed(tuple(bound), limit=20)
    return f'write "{replace(reference, name=found)}"' if found else f'stage "{stage}" binds {known}'


def _hint_at_step(reference: Reference, step: str, stage: str, provider: str | None, want: _Want | None) -> str:
    hint = f'add "{_ADD[step]}" to stage "{stage}"'
    if provider is None:
        return hint
    instead = want.instead if want else f"${{STAGE.{reference.name}}}"
    return f'{hint}, or take what stage "{provider}" made: "{instead.replace("STAGE", provider)}"'


def report_unknown_input(reference: Reference, inputs: Collection[str], report: Report) -> None:
    """Report a reference to a parameter that is none of *inputs*, the file's."""
    found = suggestion(reference.name, inputs)
    if found is not None:
        hint = f'write "{replace(reference, name=found)}"'
    elif inputs:
        hint = f"the inputs are {listed(tuple(inputs))}"
    else:
        hint = f"add to the file: inputs: {{ {reference.name}: DEFAULT }}"
    report.add(codes.UNKNOWN_INPUT, f'there is no input "{reference.name}"', at=reference.span, hint=hint)


def check_output(reference: Reference, producer: StageConfig, report: Report) -> None:
    """Report a *reference* to what `run` in *producer* prints, none of which it keeps."""
    if reference.name == "output" and producer.run is not None and producer.run.tail == 0:
        report.add(
            codes.ALWAYS_EMPTY,
            f'"{reference}" is always empty: stage "{producer.said}" keeps no output',
            at=reference.span,
            also=[Label(producer.run.span, 'no "tail" here')],
            hint='add "tail: 10" to its "run" to keep the last 10 lines',
        )
