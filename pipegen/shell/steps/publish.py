"""Publishing an image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from pipegen.bindings.expression import Items, Text
from pipegen.plan.model import PublishImage
from pipegen.shell.command import Command
from pipegen.shell.images import is_pulled
from pipegen.shell.layout import indented
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word, assigned, quote, shell_text
from pipegen.shell.steps.image import image_lines, image_word
from pipegen.shell.words.items import each
from pipegen.shell.words.text import own_variable, word

_ITEM = "pipegen_tag"
_SOURCE = "pipegen_shared"


def publish(step: PublishImage, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    name, name_lines = _lowered(step.name, "imageName", lowering)
    tag, tag_lines = _lowered(step.tag, "imageTag", lowering)
    if name_lines or tag_lines:
        yield Command((*name_lines, *tag_lines))
    other_tags = [item.constant if isinstance(item, Text) else None for item in step.tags]
    if None in other_tags:
        yield Command(_other_tags(step.tags, lowering), "the other tags, empty ones left out")
        tags = [quote(tag), '"$@"']
    else:
        tags = [quote(tag), *(quote(_cleaned(text)) for text in other_tags if text)]
    yield from _pull(step, lowering)
    yield _push(step, _full_name(name, lowering), tag, tags, lowering)
    yield from _output_values(name, tag, tags, lowering)


def _lowered(text: Text, name: str, lowering: Lowering) -> tuple[Word, tuple[str, ...]]:
    """Return *text* in lower case as a word, and the commands that set its variable; docker itself checks it."""
    constant = text.constant
    if constant:
        return (Literal(_cleaned(constant)),), _set_if_needed(name, (Literal(_cleaned(constant)),), lowering)
    variable = own_variable(name, lowering) if name in lowering.needed else f"pipegen_{name}"
    return (VariableExpansion(variable),), (_lower(variable, text, lowering),)


def _set_if_needed(name: str, value: Word, lowering: Lowering) -> tuple[str, ...]:
    return (f"{own_variable(name, lowering)}={assigned(value)}",) if name in lowering.needed else ()


def _cleaned(text: str) -> str:
    """Return *text* in a registry's characters, as PipelineLib converts it."""
    return "".join(_REPLACED.get(character, character) for character in text)


_REPLACED = {chr(upper): chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)} | {"/": "-"}


def _lower(variable: str, text: Text, lowering: Lowering) -> str:
    return f"{variable}=$(printf %s {quote(word(text, lowering))} | tr A-Z/ a-z-)"


def _other_tags(tags: Items[Text], lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that set the positional parameters to *tags*."""
    constants = list(takewhile(lambda tag: isinstance(tag, Text) and tag.constant is not None, tags))
    first = [quote(_cleaned(tag.constant)) for tag in constants if isinstance(tag, Text) and tag.constant]
    return (" ".join(("set --", *first)), *each(tags[len(constants) :], lowering, _add_tag))


def _add_tag(text: Text, lowering: Lowering) -> Sequence[str]:
    """Return the commands that add a tag to the positional parameters."""
    constant = text.constant
    if constant is not None:
        return (f'set -- "$@" {quote(_cleaned(constant))}',) if constant else ()
    return (_lower(_ITEM, text, lowering), f'if [ -n "${_ITEM}" ]; then set -- "$@" "${_ITEM}"; fi')


def _pull(step: PublishImage, lowering: Lowering) -> Iterator[Command]:
    lines = image_lines(step.image, lowering)
    if is_pulled(step.image, lowering.job, lowering.host):
        name = assigned(image_word(step.image, lowering))
        yield Command((f"{_SOURCE}={name}", f'$DOCKER pull "${_SOURCE}"'))
    elif lines:
        yield Command(lines)


def _full_name(name: Word, lowering: Lowering) -> Word:
    """Return *name* with its registry and repository."""
    prefixes = (shell_text(lowering.host.registry), shell_text(lowering.host.repository))
    return (*(fragment for word in prefixes if word for fragment in (*word, Literal("/"))), *name)


def _push(step: PublishImage, full_name: Word, tag: Word, tags: Sequence[str], lowering: Lowering) -> Command:
    """Return the command that pushes the image with each of *tags*; the job removes its local copy at the end.

    All names are given first: where the container engine refuses one, no image is pushed.
    """
    is_from_registry = is_pulled(step.image, lowering.job, lowering.host)
    image = quote((VariableExpansion(_SOURCE),) if is_from_registry else image_word(step.image, lowering))
    item = tag if len(tags) == 1 else (VariableExpansion(_ITEM),)
    name = assigned((*full_name, Literal(":"), *item))
    tagging = (
        f"pipegen_image={name}",
        f'$DOCKER tag {image} "$pipegen_image"',
        # Only now: the names in this variable are split where they are removed.
        'pipegen_images="$pipegen_images $pipegen_image"',
    )
    if len(tags) == 1:
        return Command((*tagging, '$DOCKER push "$pipegen_image"'))
    loop = f"for {_ITEM} in {' '.join(tags)}; do"
    push = f"$DOCKER push {quote((*full_name, Literal(':'), *item))}"
    return Command((loop, *indented(tagging), "done", loop, f"  {push}", "done"))


def _output_values(name: Word, tag: Word, tags: Sequence[str], lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that bind the values that other steps and jobs read."""
    full_name = _full_name(name, lowering)
    lines: list[str] = []
    for output, value in (("imageFullName", full_name), ("publishedImage", (*full_name, Literal(":"), *tag))):
        lines += _set_if_needed(output, value, lowering)
    if "imageTags" in lowering.needed:
        lines.append(f"{own_variable('imageTags', lowering)}=$(printf '%s\\n' {' '.join(tags)})")
    if lines:
        yield Command(tuple(lines))
