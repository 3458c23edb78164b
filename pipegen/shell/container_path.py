"""A path in a container, as `docker cp` takes it."""

from __future__ import annotations

from pipegen.bindings.expression import Text
from pipegen.shell.lowering import Lowering
from pipegen.shell.quote import Literal, VariableExpansion, Word
from pipegen.shell.text import assignment

_SOURCE = "pipegen_source"


def container_path(text: Text, lowering: Lowering) -> tuple[tuple[str, ...], Word]:
    """Return the commands that set a path, and the path; of a folder (a slash at its end) the content is meant."""
    known = text.constant
    if known is not None:
        return (), (Literal(f"{known}." if known.endswith("/") else known),)
    lines = (assignment(_SOURCE, text, lowering), f"case ${_SOURCE} in */) {_SOURCE}=${_SOURCE}. ;; esac")
    return lines, (VariableExpansion(_SOURCE),)
