"""The image that a stage runs in."""

from __future__ import annotations

import re
from collections.abc import Collection

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Text
from pipegen.bindings.github_expressions import github_hint
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.model import BuildImage, Copy, Deploy, JobImage, Promote, PublishImage, Pull, RunContainer, Step
from pipegen.plan.model.steps import step_key
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, Sequence

# The characters of image names, tags and digests; the registry checks their order.
_NAME = r"[A-Za-z0-9._:/@-]*"
_WRITTEN_OUT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*")
_START = r"[A-Za-z0-9]"
_WITH_TOOLS = frozenset((BuildImage, RunContainer, Copy, PublishImage, Promote, Deploy))


def image(stage: StageConfig, values: StageValues) -> JobImage | None:
    """Return the image of *stage*, or None."""
    if stage.image is None:
        return None
    node = stage.image.node
    name = node.get("name") if type(node) is Mapping else None
    if name is None or type(node) is not Mapping:
        return JobImage(name=image_name(node, values), span=stage.image.span)
    entrypoint, pull = node.get("entrypoint"), node.get("pull")
    own_name = image_name(name, values)
    return JobImage(
        name=own_name,
        entrypoint=_words(entrypoint) if isinstance(entrypoint, Sequence) else None,
        pull=Pull(pull.text) if isinstance(pull, Scalar) else None,
        user=_text(node.get("user")),
        args=_words(node.get("args")),
        credentials=_credentials(node.get("credentials"), own_name, values.report),
        span=stage.image.span,
    )


def _text(node: Node | None) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _words(node: Node | None) -> tuple[str, ...]:
    return tuple(item.text for item in node.items if isinstance(item, Scalar)) if isinstance(node, Sequence) else ()


def _credentials(node: Node | None, name: Text, report: Report) -> str | None:
    """Return the ID of the login at the registry of the image *name*, which must be known at compile time."""
    if not isinstance(node, Scalar):
        return None
    first = name.parts[0] if name.parts else ""
    if name.constant is None and not (isinstance(first, str) and "/" in first):
        report.add(
            codes.INVALID_VALUE,
            "the registry of the image is not known when pipegen runs",
            at=node.span,
            hint='write out the start of the name: "registry.example.org/app:${build.tag}"',
        )
    return node.text


def image_name(node: Node, values: StageValues) -> Text:
    """Return the name of an image; invalid names are reported."""
    if type(node) is Scalar and node.kind is ScalarKind.TEXT and _WRITTEN_OUT.fullmatch(node.text):
        return Text((node.text,), node.span)
    name = values.as_text(values.value(node))
    if _WRITTEN_OUT.fullmatch(name.constant or ""):
        return name
    foreign = next((text for text in map(_written, name.parts) if not re.fullmatch(_NAME, text)), None)
    first = name.parts[0] if name.parts else ""
    combination = values.reader.stage.combination
    if foreign is not None:
        values.report.add(
            codes.INVALID_IMAGE_NAME,
            f'"{foreign}" is not valid in the name of an image',
            at=name.span,
            hint=_written_out(foreign, combination.axes if combination is not None else ()),
        )
    elif isinstance(node, Scalar) and not node.text:
        values.report.add(codes.INVALID_IMAGE_NAME, "the image has no name", at=name.span, hint="write it: python:3.12")
    elif isinstance(first, str) and first and not re.match(_START, first):
        values.report.add(
            codes.INVALID_IMAGE_NAME,
            f'the name of an image cannot start with "{first}"',
            at=name.span,
            hint="start with a letter or a digit: python:3.12",
        )
    return name


def _written_out(foreign: str, axes: Collection[str]) -> str:
    """Return what to write instead of the text *foreign* in the name of an image of a stage with these *axes*."""
    if (expression := re.fullmatch(r".*\$\{\{(.*)\}\}", foreign)) and (hint := github_hint(expression[1])):
        return hint
    variable = re.fullmatch(r"\$\{?([A-Za-z_]\w*)\}?", foreign)
    if variable is None:
        return 'write it out, or use references: "registry.example.org/app:${build.tag}"'
    if variable[1] in axes:
        return f'write "${{matrix.{variable[1]}}}" for the value of the axis'
    return f'write the value, or add an input and write "${{inputs.{variable[1]}}}": engines expand no variables here'


def _written(part: Part) -> str:
    """Return the literal text in *part*: itself, or its default."""
    match part:
        case str():
            return part
        case Bare():
            return part.source
        case Reference() | Defaulted():
            return part.default or ""


def check_image(stage: StageConfig, steps: tuple[Step, ...], report: Report) -> None:
    """Report the image of a stage if *steps* need tools that the image may lack."""
    if stage.image is None:
        return
    for step in steps:
        if type(step) in _WITH_TOOLS:
            report.add(
                codes.IMAGE_BESIDE_TOOLS,
                f'stage "{stage.display_name}" runs in its own image, but "{step_key(step)}" needs tools of the engine',
                at=stage.image.span,
                related=[Label(step.span, "needs tools of the engine")],
                hint='move it to a stage without "image"; to remove an inherited image, write "image:" without a value',
            )
            return
