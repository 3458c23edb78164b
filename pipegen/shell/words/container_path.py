"""A path in a container, in the form that `docker cp` expects."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word
from pipegen.shell.words.text import assignment

_SOURCE = "pipegen_source"


def container_path(text: Text, lowering: Lowering) -> tuple[tuple[str, ...], Word]:
    """Return the commands that set a path, and the path; a slash at its end means the content of the folder."""
    known = text.constant
    if known is not None:
        return (), (Literal(f"{known}." if known.endswith("/") else known),)
    lines = (assignment(_SOURCE, text, lowering), f"case ${_SOURCE} in */) {_SOURCE}=${_SOURCE}. ;; esac")
    return lines, (VariableExpansion(_SOURCE),)
