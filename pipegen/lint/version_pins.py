"""Pins in the names of external images: an exact content, a version, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from pipegen.bindings.expression import Bare, Expression, Map, Text
from pipegen.lint.base import CheckedConfig, CheckedStage
from pipegen.plan.model import BlubberInline, BuildImage, Machine, Pull
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, items_of
from pipegen.structs import Struct

# Names that follow a branch or a channel, also as the first or last word of a tag.
_MOVING = "latest|edge|nightly|canary|rolling|snapshot|head|main|master|trunk|develop|dev|unstable"
_MOVES = re.compile(rf"(?:{_MOVING})(?:-.*)?|.*-(?:latest|nightly|snapshot)", re.IGNORECASE)
# The tag of a name; a colon before a slash belongs to a port.
_TAG = re.compile(r":(?P<tag>[^/:@]*)$")
# Variables that an engine expands at run time: `$REGISTRY`, `${TAG}`.
_VARIABLE = re.compile(r"\$\{\w+\}|\$\w+")
# The settings of targets that name one or several images.
_SETTINGS: Mapping[str, tuple[str, ...]] = {"gitlab": ("tools", "frontend"), "jenkins": ("frontend",)}


class PinLevel(Enum):
    """The kind of pin in a name."""

    CONTENT = "content"
    # A tag that should stay, though the owner of the name can move it.
    TAG = "tag"
    NOTHING = "nothing"
    # Known only at run time.
    UNKNOWN = "unknown"


class ImageName(Struct):
    """An image in a config: *text* has `$` for parts known only at run time, *shown* is the name as written."""

    text: str
    shown: str
    span: Span

    @property
    def tag(self) -> str | None:
        """The tag; None without one."""
        match = _TAG.search(self.text)
        return match["tag"] if match is not None else None

    @property
    def pin(self) -> PinLevel:
        """The kind of pin in the name."""
        tag = self.tag
        if "@" in self.text:
            return PinLevel.CONTENT
        if "$" in (tag if tag is not None else self.text[-1:]):
            return PinLevel.UNKNOWN
        return PinLevel.NOTHING if tag is None or is_moving(tag) else PinLevel.TAG


def is_moving(version: str) -> bool:
    """Return whether *version* follows a branch or a channel."""
    return _MOVES.fullmatch(version) is not None


def images(config: CheckedConfig) -> Iterator[ImageName]:
    """Yield the external images of a config."""
    for stage in config.stages():
        yield from map(_text_image, _pulled_images(stage.job.machine))
        yield from map(_text_image, _base_images(stage))
        for target, keys in stage.job.raw:
            if target == "gitlab":
                yield from map(_scalar_image, _raw_images(keys))
    for target, names in _SETTINGS.items():
        settings = config.settings.get(target)
        for name in names if settings is not None else ():
            yield from map(_scalar_image, _scalars(settings.get(name) if settings is not None else None))


def _pulled_images(machine: Machine) -> Iterator[Text]:
    """Yield the names of the images that the engine pulls."""
    if machine.image is not None and machine.image.file is None and machine.image.pull is not Pull.NEVER:
        yield machine.image.name
    yield from (service.image for service in machine.services)


def _base_images(stage: CheckedStage) -> Iterator[Text]:
    """Yield the base images of inline blubberfiles."""
    for step in stage.job.steps:
        if isinstance(step, BuildImage) and isinstance(step.blubberfile, BlubberInline):
            document = step.blubberfile.document
            variants = document.get("variants")
            inner = [value for _, value in variants.entries] if isinstance(variants, Map) else []
            yield from _base_image(document)
            for variant in inner:
                yield from _base_image(variant)


def _base_image(document: Expression) -> Iterator[Text]:
    base = document.get("base") if isinstance(document, Map) else None
    if isinstance(base, Text) and base.constant != "":
        yield base


def _raw_images(keys: TreeMapping) -> Iterator[Scalar]:
    """Yield the images in the raw GitLab *keys* of a job."""
    services = keys.get("services")
    for node in (keys.get("image"), *items_of(services)):
        yield from _scalars(node.get("name") if isinstance(node, TreeMapping) else node)


def _scalars(node: Node | None) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case TreeMapping():
            yield from (entry.value for entry in node.entries if isinstance(entry.value, Scalar))


def _scalar_image(node: Scalar) -> ImageName:
    return ImageName(_VARIABLE.sub("$", node.text), node.text, node.span)


def _text_image(name: Text) -> ImageName:
    text = "".join(_VARIABLE.sub("$", part) if isinstance(part, str) else "$" for part in name.parts)
    return ImageName(text, "".join(map(_part_text, name.parts)), name.span)


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    return part.source if isinstance(part, Bare) else "${…}"
