"""What a name of something from elsewhere pins: an exact content, a version, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from pipegen.bindings.expression import Bare, Expression, Map, Text
from pipegen.lint.base import Checked, CheckedStage
from pipegen.plan.model import BlubberInline, BuildImage, Machine, Pull
from pipegen.source.text import Span
from pipegen.source.tree import Mapping as TreeMapping
from pipegen.source.tree import Node, Scalar, Sequence
from pipegen.structs import Struct

# Names that follow a branch or a channel, whatever is released; also as the first or last word of a tag.
_MOVING = "latest|edge|nightly|canary|rolling|snapshot|head|main|master|trunk|develop|dev|unstable"
_MOVES = re.compile(rf"(?:{_MOVING})(?:-.*)?|.*-(?:latest|nightly|snapshot)", re.IGNORECASE)
# The tag of a name: a colon before a slash belongs to a port.
_TAG = re.compile(r":(?P<tag>[^/:@]*)$")
# What an engine puts in place when it runs: `$REGISTRY`, `${TAG}`.
_VARIABLE = re.compile(r"\$\{\w+\}|\$\w+")
# The settings of targets that name images, and those that hold several.
_SETTINGS: Mapping[str, tuple[str, ...]] = {"gitlab": ("tools", "frontend"), "jenkins": ("frontend",)}


class Pinned(Enum):
    """What a name pins."""

    CONTENT = "content"
    # A tag that is meant to stay; who owns the name can move it.
    TAG = "tag"
    NOTHING = "nothing"
    # Only the run knows.
    UNKNOWN = "unknown"


class ImageName(Struct):
    """An image as a config names it: *text* with `$` where only the run knows, *shown* as it is written."""

    text: str
    shown: str
    span: Span

    @property
    def tag(self) -> str | None:
        """The tag; None without one."""
        found = _TAG.search(self.text)
        return found["tag"] if found is not None else None

    @property
    def pinned(self) -> Pinned:
        """What the name pins."""
        tag = self.tag
        if "@" in self.text:
            return Pinned.CONTENT
        if "$" in (tag if tag is not None else self.text[-1:]):
            return Pinned.UNKNOWN
        return Pinned.NOTHING if tag is None or moves(tag) else Pinned.TAG


def moves(version: str) -> bool:
    """Return whether *version* follows a branch or a channel."""
    return _MOVES.fullmatch(version) is not None


def images(checked: Checked) -> Iterator[ImageName]:
    """Yield the images that come from elsewhere, wherever a config names one."""
    for work in checked.work():
        yield from map(_of_text, _pulled(work.job.machine))
        yield from map(_of_text, _bases(work))
        for target, keys in work.job.raw:
            if target == "gitlab":
                yield from map(_of_scalar, _of_keys(keys))
    for target, names in _SETTINGS.items():
        settings = checked.settings.get(target)
        for name in names if settings is not None else ():
            yield from map(_of_scalar, _scalars(settings.get(name) if settings is not None else None))


def _pulled(machine: Machine) -> Iterator[Text]:
    """Yield the names of the images that the engine pulls."""
    if machine.image is not None and machine.image.pull is not Pull.NEVER:
        yield machine.image.name
    yield from (service.image for service in machine.services)


def _bases(work: CheckedStage) -> Iterator[Text]:
    """Yield what inline blubberfiles build on."""
    for step in work.job.steps:
        if isinstance(step, BuildImage) and isinstance(step.blubberfile, BlubberInline):
            document = step.blubberfile.document
            variants = document.get("variants")
            inner = [value for _, value in variants.entries] if isinstance(variants, Map) else []
            yield from _base(document)
            for variant in inner:
                yield from _base(variant)


def _base(document: Expression) -> Iterator[Text]:
    base = document.get("base") if isinstance(document, Map) else None
    if isinstance(base, Text) and base.constant != "":
        yield base


def _of_keys(keys: TreeMapping) -> Iterator[Scalar]:
    """Yield the images in *keys* of a job as GitLab reads them."""
    services = keys.get("services")
    for node in (keys.get("image"), *(services.items if isinstance(services, Sequence) else ())):
        yield from _scalars(node.get("name") if isinstance(node, TreeMapping) else node)


def _scalars(node: Node | None) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case TreeMapping():
            yield from (entry.value for entry in node.entries if isinstance(entry.value, Scalar))


def _of_scalar(node: Scalar) -> ImageName:
    return ImageName(_VARIABLE.sub("$", node.text), node.text, node.span)


def _of_text(name: Text) -> ImageName:
    known = "".join(_VARIABLE.sub("$", part) if isinstance(part, str) else "$" for part in name.parts)
    return ImageName(known, "".join(map(_shown, name.parts)), name.span)


def _shown(part: object) -> str:
    if isinstance(part, str):
        return part
    return part.source if isinstance(part, Bare) else "${…}"
