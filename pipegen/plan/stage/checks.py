"""Values known at compile time that a step could not work with."""

from __future__ import annotations

import re
from posixpath import normpath

from pipegen.bindings.expression import Loop, Text
from pipegen.config.model import BuildStep
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import Located
from pipegen.structs import replace

# What `docker build` takes for a context elsewhere.
_REMOTE = r"[a-zA-Z][a-zA-Z0-9+.-]*://|git@|github\.com/|-$"
# docker's reference grammar: https://docs.docker.com/reference/cli/docker/image/tag/
_IMAGE_NAME = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_TAG = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_IMAGE_ID = r"(?:sha256:)?[0-9a-f]{12,64}"


def is_local(context: Text) -> bool:
    """Return whether a build context is (or, where only known at run time, may be) a folder of the checkout."""
    first = context.parts[0] if context.parts else ""
    return not (isinstance(first, str) and re.match(_REMOTE, first))


def check_local_context(context: Text, build: BuildStep, report: Report) -> None:
    """Report excludes that a context elsewhere would not see."""
    if build.excludes is not None and not is_local(context):
        report.add(
            codes.EXCLUDES_REMOTE,
            f'"excludes" has no effect on "{context.constant or "a context elsewhere"}", which is not in the checkout',
            at=build.excludes.span,
            hint='remove "excludes", or build from a local context',
        )


def check_image_id(image: Text, report: Report) -> None:
    """Report an image that is written out and is no ID."""
    constant = image.constant
    if constant is None or not constant or re.fullmatch(_IMAGE_ID, constant):
        return
    report.add(
        codes.NO_IMAGE_ID,
        f'"{constant}" is no image ID',
        at=image.span,
        hint='name the image that a stage builds: "${STAGE.imageID}"',
    )


def check_image_name(name: Text, report: Report) -> None:
    """Report an image name that no registry takes, as far as it is known."""
    constant = name.constant
    if constant is not None and not re.fullmatch(_IMAGE_NAME, constant.lower().replace("/", "-")):
        report.add(
            codes.INVALID_IMAGE_NAME,
            f'"{constant}" is no image name',
            at=name.span,
            hint='an image name holds lower-case letters and digits, with ".", "_" or "-" between',
        )


def check_tag(tag: Text | Loop[Text], report: Report) -> None:
    """Report a tag that no registry takes, as far as it is known; an empty one is left out later."""
    constant = tag.constant if isinstance(tag, Text) else None
    if constant and not re.fullmatch(_TAG, constant.lower().replace("/", "-")):
        report.add(
            codes.INVALID_IMAGE_NAME,
            f'"{constant}" is no image tag',
            at=tag.span,
            hint='a tag holds up to 128 letters, digits, "_", "." and "-", and does not begin with "." or "-"',
        )


def check_variable(name: Text, report: Report) -> None:
    """Report a name that no environment variable can have, as far as it is known."""
    constant = name.constant
    if constant is not None and (not constant or "=" in constant):
        report.add(
            codes.INVALID_VARIABLE,
            f'"{constant}" is no name for an environment variable',
            at=name.span,
            hint='use letters, digits and "_"',
        )


def check_directory(directory: Located[str] | None, report: Report) -> None:
    """Report a *directory* that is none of the repository."""
    if directory is None or not is_outside(normpath(directory.value)):
        return
    below = directory.value.strip("/") or "."
    report.add(
        codes.PATH_OUTSIDE,
        f'"{directory.value}" lies outside the repository',
        at=directory.span,
        hint="name a directory of the repository, relative to its root"
        if is_outside(normpath(below))
        else f'write "{below}": a directory is relative to the root of the repository',
    )


def is_outside(path: str) -> bool:
    """Return whether the normal *path* is absolute or leads out of where it starts."""
    return path.startswith(("/", "../")) or path == ".."


def relative_path(path: Text, report: Report) -> Text:
    """Return *path* relative to the job's directory, as PipelineLib does; one that leaves it is reported.

    A trailing slash stays. What is known only at run time is checked there.
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
            f'"{constant}" lies outside the directory of the stage',
            at=path.span,
            hint="copy to a path below it",
        )
    return Text((normal + ("/" if constant.endswith("/") and normal != "." else ""),), path.span)
