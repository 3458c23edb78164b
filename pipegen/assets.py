"""The templates and schemas that travel with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder(kind: Literal["templates", "schemas"]) -> Traversable:
    """Return the folder of shipped *kind*: the wheel's own, else the one at the top of the checkout."""
    package = Path(__file__).parent
    for shipped in (package / kind, package.parent / kind):
        if shipped.is_dir():
            return shipped
    from importlib.resources import files  # noqa: PLC0415 - for what is imported from an archive

    return files("pipegen") / kind
