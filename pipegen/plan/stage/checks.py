"""Checks of values that are known at compile time."""

from __future__ import annotations

import re
from posixpath import normpath

from pipegen.bindings.expression import Loop, Text
from pipegen.config.model import BuildStep, TriggerStep
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report
from pipegen.plan.files.patterns import is_outside
from pipegen.plan.model import TriggerJob
from pipegen.source.text import Located
from pipegen.structs import replace

# Contexts that `docker build` reads from elsewhere.
_REMOTE = r"[a-zA-Z][a-zA-Z0-9+.-]*://|git@|github\.com/|-$"
# docker's reference grammar: https://docs.docker.com/reference/cli/docker/image/tag/
_IMAGE_NAME = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_IMAGE_ID = r"(?:sha256:)?[0-9a-f]{12,64}"


def is_local(context: Text) -> bool:
    """Return whether a build context is a folder of the checkout, or may be one at run time."""
    first = context.parts[0] if context.parts else ""
    return not (isinstance(first, str) and re.match(_REMOTE, first))


def check_local_context(context: Text, build: BuildStep, report: Report) -> None:
    """Report `excludes` for a remote context, where they have no effect."""
    if build.excludes is not None and not is_local(context):
        report.add(
            codes.EXCLUDES_REMOTE,
            f'"excludes" has no effect on "{context.constant or "a remote context"}", which is not in the checkout',
            at=build.excludes.span,
            hint='remove "excludes", or build from a local context',
        )


def check_child(trigger: TriggerStep, report: Report) -> None:
    """Report files of the child pipeline of *trigger* that GitLab cannot include."""
    if trigger.include and trigger.name.value:
        report.add(
            codes.INVALID_VALUE,
            "a trigger starts either a job or a child pipeline",
            at=trigger.name.span,
            related=[Label(trigger.include[0].path.span, "the child pipeline")],
            hint='remove "name" or "include"',
        )
    for file in trigger.include:
        if not re.fullmatch(TriggerJob.FILE, file.path.value) or ".." in file.path.value.split("/"):
            report.add(
                codes.INVALID_VALUE,
                f'"{file.path.value}" is not the path of a YAML file from the root of the repository',
                at=file.path.span,
                hint='write the path from the root of the repository, such as "ci/child.yml", without variables',
            )
    if len(trigger.include) > TriggerJob.MOST_FILES:
        report.add(
            codes.INVALID_VALUE,
            f"GitLab makes a child pipeline of at most {TriggerJob.MOST_FILES} files",
            at=trigger.include[TriggerJob.MOST_FILES].path.span,
            hint='include the other files in one of these, with the "include" of GitLab',
        )


def check_image_id(image: Text, report: Report) -> None:
    """Report a literal image that is not an ID."""
    constant = image.constant
    if constant is None or not constant or re.fullmatch(_IMAGE_ID, constant):
        return
    report.add(
        codes.NO_IMAGE_ID,
        f'"{constant}" is not an image ID',
        at=image.span,
        hint='reference the image that a stage builds: "${STAGE.imageID}"',
    )


def check_image_name(name: Text, report: Report) -> None:
    """Report an image name that no registry accepts; parts with run-time values are not checked."""
    constant = name.constant
    if constant is not None and not re.fullmatch(_IMAGE_NAME, constant.lower().replace("/", "-")):
        report.add(
            codes.INVALID_IMAGE_NAME,
            f'"{constant}" is not a valid image name',
            at=name.span,
            hint='use lower-case letters and digits, separated by ".", "_" or "-"',
        )


def check_tag(tag: Text | Loop[Text], report: Report) -> None:
    """Report a tag that no registry accepts; run-time values are not checked, and an empty tag is omitted later."""
    constant = tag.constant if isinstance(tag, Text) else None
    if constant and not re.fullmatch(_TAG, constant.lower().replace("/", "-")):
        report.add(
            codes.INVALID_IMAGE_NAME,
            f'"{constant}" is not a valid image tag',
            at=tag.span,
            hint='use up to 128 letters, digits, "_", "." and "-", and start with a letter, a digit or "_"',
        )


def check_variable(name: Text, report: Report) -> None:
    """Report a name that no environment variable can have; run-time values are not checked."""
    constant = name.constant
    if constant is not None and (not constant or "=" in constant):
        report.add(
            codes.INVALID_VARIABLE,
            f'"{constant}" is not a valid name of an environment variable',
            at=name.span,
            hint='use letters, digits and "_"',
        )


def check_directory(directory: Located[str] | None, report: Report) -> None:
    """Report a *directory* outside the repository."""
    if directory is None or not is_outside(normpath(directory.value)):
        return
    below = directory.value.strip("/") or "."
    report.add(
        codes.PATH_OUTSIDE,
        f'"{directory.value}" is outside the repository',
        at=directory.span,
        hint="use a directory in the repository, relative to its root"
        if is_outside(normpath(below))
        else f'write "{below}": a directory is relative to the root of the repository',
    )


def relative_path(path: Text, report: Report) -> Text:
    """Return *path* relative to the job's directory, as PipelineLib does; a path outside it is reported.

    A trailing slash is kept. A path with run-time values is checked at run time.
    """
    first = path.parts[0] if path.parts else ""
    if isinstance(first, str):
        path = replace(path, parts=tuple(part for part in (first.lstrip("/"), *path.parts[1:]) if part != ""))
    constant = path.constant
    if constant is None:
        return path
    normal = normpath(constant) if constant else "."
    if is_outside(normal):
        report.add(
            codes.PATH_OUTSIDE,
            f'"{constant}" is outside the directory of the stage',
            at=path.span,
            hint="copy to a path below it",
        )
    return Text((normal + ("/" if constant.endswith("/") and normal != "." else ""),), path.span)
