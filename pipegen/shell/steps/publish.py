"""Publishing an image."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import takewhile

from pipegen.bindings.expression import Loop, Reference, Scope, Text
from pipegen.plan.model import PublishImage
from pipegen.shell.command import Command
from pipegen.shell.images import is_pulled
from pipegen.shell.lowering import Lowering
from pipegen.shell.names import plain
from pipegen.shell.quote import Literal, ShellFragment, VariableExpansion, Word, assigned, quote, shell_text
from pipegen.shell.steps.image import image_lines, image_word
from pipegen.shell.words.items import each
from pipegen.shell.words.text import own_variable, set_variables, word
from pipegen.structs import Struct

# So many tags are written one by one.
_FEW = 2
# Setup values that are in a registry's characters, and never empty.
_CLEAN_SETUP = frozenset(("commit", "run", "shortCommit", "timestamp"))
_REPLACED = {chr(upper): chr(upper + 32) for upper in range(ord("A"), ord("Z") + 1)} | {"/": "-"}


class _Tags(Struct):
    """The *first* tag of an image, and all tags if they are *known*; else, the positional parameters hold all."""

    first: Word
    known: tuple[Word, ...]

    @property
    def arguments(self) -> str:
        """All tags as words of a command."""
        return " ".join(map(quote, self.known)) if self.known else '"$@"'


def publish(step: PublishImage, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    taken = set_variables(lowering)
    is_read = "imageFullName" in lowering.needed
    image = own_variable("imageFullName", lowering) if is_read else plain("image", taken, lowering.words)
    tag = plain("tag", taken, lowering.words)
    name = yield from _lowered(step.name, "imageName", lowering)
    full_name = _full_name(name, lowering)
    yield Command((f"{image}={assigned(full_name)}",))
    tags = yield from _tags(step, tag, lowering)
    yield from _output_values(image, tags, lowering)
    source = quote(image_word(step.image, lowering))
    if is_pulled(step.image, lowering.job, lowering.host):
        yield Command((f"{lowering.host.docker} pull {source}",))
    elif lines := image_lines(step.image, lowering):
        yield Command(lines)
    yield from _push(source, image, tag, tags, lowering)


def _lowered(text: Text, output: str, lowering: Lowering) -> Generator[Command, None, Word]:
    """Return *text* in lower case as a word; yield the command that sets the variable of *output* if it is read.

    The container engine itself checks the name.
    """
    value = _lower(text, lowering)
    if output not in lowering.needed:
        return value
    variable = own_variable(output, lowering)
    yield Command((f"{variable}={assigned(value)}",))
    return (VariableExpansion(variable),)


def _lower(text: Text, lowering: Lowering) -> Word:
    """Return *text* in a registry's characters, as PipelineLib converts it."""
    constant = text.constant
    if constant is not None:
        return (Literal(_cleaned(constant)),)
    value = word(text, lowering)
    return value if _is_clean(text) else (ShellFragment(f"$(printf %s {quote(value)} | tr A-Z/ a-z-)"),)


def _cleaned(text: str) -> str:
    return "".join(_REPLACED.get(character, character) for character in text)


def _is_clean(text: Text) -> bool:
    """Return whether *text* certainly consists of a registry's characters."""
    return all(part == _cleaned(part) if isinstance(part, str) else _is_clean_setup(part) for part in text.parts)


def _is_clean_setup(part: object) -> bool:
    return isinstance(part, Reference) and part.scope is Scope.SETUP and part.name in _CLEAN_SETUP


def _tags(step: PublishImage, variable: str, lowering: Lowering) -> Generator[Command, None, _Tags]:
    """Return the tags; yield the commands that set the first, in *variable* if it is computed, and those of the run."""
    first = yield from _lowered(step.tag, "imageTag", lowering)
    if any(isinstance(fragment, ShellFragment) for fragment in first):
        yield Command((f"{variable}={assigned(first)}",))
        first = (VariableExpansion(variable),)
    certain = [tag for tag in takewhile(_is_certain, step.tags) if isinstance(tag, Text)]
    words = (first, *(_lower(tag, lowering) for tag in certain if tag.constant != ""))
    others = step.tags[len(certain) :]
    if not others and not any(isinstance(fragment, ShellFragment) for word in words for fragment in word):
        return _Tags(first, words)
    yield Command((" ".join(("set --", *map(quote, words))),))
    for other in others:
        yield Command(each((other,), lowering, _add_tag))
    return _Tags(first, ())


def _is_certain(tag: Text | Loop[Text]) -> bool:
    """Return whether *tag* is known to be a tag, or no tag, before the run."""
    if not isinstance(tag, Text):
        return False
    return tag.constant is not None or any(isinstance(part, str) or _is_clean_setup(part) for part in tag.parts)


def _add_tag(text: Text, lowering: Lowering) -> Sequence[str]:
    """Return the command that adds a tag to the positional parameters."""
    tag, constant = quote(_lower(text, lowering)), text.constant
    if constant is not None:
        return (f'set -- "$@" {tag}',) if constant else ()
    return (f'[ -z {quote(word(text, lowering))} ] || set -- "$@" {tag}',)


def _full_name(name: Word, lowering: Lowering) -> Word:
    """Return *name* with its registry and repository."""
    host = lowering.host
    prefixes = tuple(map(shell_text, [host.image_folder] if host.image_folder else [host.registry, host.repository]))
    return (*(fragment for word in prefixes if word for fragment in (*word, Literal("/"))), *name)


def _output_values(image: str, tags: _Tags, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that bind the other values that steps and jobs read."""
    values = {
        "publishedImage": assigned(_tagged(image, tags.first)),
        "imageTags": f"$(printf '%s\\n' {tags.arguments})",
    }
    for output, value in values.items():
        if output in lowering.needed:
            yield Command((f"{own_variable(output, lowering)}={value}",))


def _push(source: str, image: str, tag: str, tags: _Tags, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands that push the image *source* with each of *tags*.

    All names are given first: where the container engine refuses one, no image is pushed.
    """
    host = lowering.host
    is_listed = not 0 < len(tags.known) <= _FEW
    names = [_tagged(image, each_tag) for each_tag in ([(VariableExpansion(tag),)] if is_listed else tags.known)]
    tagging = [f"{host.docker} tag {source} {quote(name)}" for name in names]
    if not host.is_disposable:
        # Only now: the names in this variable are split where they are removed.
        noted = [
            f"pipegen_images={quote((VariableExpansion('pipegen_images'), Literal(' '), *name))}" for name in names
        ]
        tagging = [line for pair in zip(tagging, noted, strict=True) for line in pair]
    pushing = [f"{host.docker} push {quote(name)}" for name in names]
    if is_listed:
        tagging, pushing = (
            [f"for {tag} in {tags.arguments}; do {'; '.join(lines)}; done"] for lines in (tagging, pushing)
        )
    yield from (Command((line,)) for line in (*tagging, *pushing))


def _tagged(image: str, tag: Word) -> Word:
    return (VariableExpansion(image), Literal(":"), *tag)
