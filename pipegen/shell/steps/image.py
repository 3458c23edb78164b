"""The image of a step."""

from __future__ import annotations

from pipegen.plan.model import Image
from pipegen.shell.images import is_pulled, local_tag, pushed_name
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word, assigned, constant
from pipegen.shell.words.text import word

_ALGORITHM = "sha256:"
_ID = "pipegen_image_id"


def image_word(image: Image, lowering: Lowering) -> Word:
    """Return the name of *image* for commands."""
    if image.producer is not None and (image.producer == lowering.job.stage or lowering.host.names_images):
        return local_tag(lowering.producers[image.producer], lowering.host)
    if image.producer is not None and is_pulled(image, lowering.job, lowering.host):
        return pushed_name(image.producer, lowering)
    image_id = word(image.id, lowering)
    text = constant(image_id)
    if text is not None:
        return (Literal(_ALGORITHM + text.removeprefix(_ALGORITHM)),)
    if image.producer is not None:
        return (Literal(_ALGORITHM), *image_id)
    match image_id:
        case (VariableExpansion(name=name, operator=""),):
            return (Literal(_ALGORITHM), VariableExpansion(name, "#", (Literal(_ALGORITHM),)))
    return (Literal(_ALGORITHM), VariableExpansion(_ID, "#", (Literal(_ALGORITHM),)))


def image_lines(image: Image, lowering: Lowering) -> tuple[str, ...]:
    """Return the commands that must run before *image* is used."""
    if any(isinstance(part, VariableExpansion) and part.name == _ID for part in image_word(image, lowering)):
        return (f"{_ID}={assigned(word(image.id, lowering))}",)
    return ()
