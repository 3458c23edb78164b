"""The image that a stage runs in."""

from __future__ import annotations

import re
from collections.abc import Collection
from posixpath import join, normpath

from pipegen.bindings.expression import Bare, Defaulted, Part, Reference, Text
from pipegen.bindings.github_expressions import github_hint
from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.files.patterns import is_outside
from pipegen.plan.model import (
    BuildImage,
    Copy,
    Deploy,
    ImageFile,
    JobImage,
    Promote,
    PublishImage,
    Pull,
    RunContainer,
    Step,
)
from pipegen.plan.model.steps import step_key
from pipegen.plan.values import StageValues
from pipegen.source.tree import Mapping, Node, Scalar, ScalarKind, Sequence, entries_of, scalars_of

# The characters of image names, tags and digests; the registry checks their order.
_NAME = r"[A-Za-z0-9._:/@-]*"
_WRITTEN_OUT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]*")
_START = r"[A-Za-z0-9]"
_WITH_TOOLS = frozenset((BuildImage, RunContainer, Copy, PublishImage, Promote, Deploy))


def image(stage: StageConfig, directory: str, values: StageValues) -> JobImage | None:
    """Return the image of *stage*, which runs in *directory*, or None."""
    if stage.image is None:
        return None
    node = stage.image.node
    if type(node) is not Mapping:
        return JobImage(name=image_name(node, values), span=stage.image.span)
    name, entrypoint, pull = node.get("name"), node.get("entrypoint"), node.get("pull")
    file = _file(node, directory, values.report)
    own_name = image_name(name, values) if name is not None else Text((file.path if file else "Dockerfile",), node.span)
    return JobImage(
        name=own_name,
        file=file,
        entrypoint=_words(entrypoint) if isinstance(entrypoint, Sequence) else None,
        pull=Pull(pull.text) if isinstance(pull, Scalar) else None,
        user=_text(node.get("user")),
        args=_words(node.get("args")),
        credentials=_credentials(node.get("credentials"), own_name, values.report),
        span=stage.image.span,
    )


def _file(node: Mapping, directory: str, report: Report) -> ImageFile | None:
    """Return the Dockerfile of the image *node*; an image has a name or a Dockerfile."""
    file, context, arguments = node.get("dockerfile"), node.get("context"), node.get("build_args")
    if not isinstance(file, Scalar):
        for key, value in (("context", context), ("build_args", arguments)):
            if value is not None:
                hint = f'remove "{key}", or replace "name" by "dockerfile"'
                report.add(codes.INVALID_VALUE, f'"{key}" is for a Dockerfile', at=value.span, hint=hint)
        return None
    for key in ("name", "credentials"):
        if (other := node.get(key)) is not None:
            hint = f'remove "{key}" or "dockerfile"'
            report.add(codes.INVALID_VALUE, f'an image from a Dockerfile has no "{key}"', at=other.span, hint=hint)
    return ImageFile(
        path=_in_repository(file, directory, report),
        context=_in_repository(context, directory, report) if isinstance(context, Scalar) else directory,
        arguments=tuple((entry.key.text, _text(entry.value) or "") for entry in entries_of(arguments)),
    )


def _in_repository(node: Scalar, directory: str, report: Report) -> str:
    """Return the path *node*, which is relative to *directory*, from the root of the repository."""
    path = normpath(join(directory, node.text))
    if is_outside(path):
        hint = "name a path in the repository"
        report.add(codes.PATH_OUTSIDE, f'"{node.text}" is outside the repository', at=node.span, hint=hint)
    return path


def _text(node: Node | None) -> str | None:
    return node.text if isinstance(node, Scalar) else None


def _words(node: Node | None) -> tuple[str, ...]:
    return tuple(item.text for item in scalars_of(node))


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
    elif isinstance(first, str) and first and not re.match(_START, first) and not values.is_missing(name.span):
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
    if predefined := re.search(r"\$\{?(CI_\w+)\}?", foreign):
        return f'write "${{setup.params.{predefined[1]}}}" for "{predefined[0]}", a variable of GitLab'
    for name in re.findall(r"\$\{?([A-Za-z_]\w*)", foreign):
        if name in axes:
            return f'write "${{matrix.{name}}}" for the value of the axis'
    variable = re.fullmatch(r"\$\{?([A-Za-z_]\w*)\}?", foreign)
    if variable is None:
        return 'write it out, or use references: "registry.example.org/app:${build.tag}"'
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
