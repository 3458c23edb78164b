"""Templates and schemas that ship with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pipegen.structs import from_json

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder(kind: Literal["templates", "schemas"]) -> Traversable:
    """Return the folder of *kind*: inside the installed package, else at the top of the checkout."""
    package = Path(__file__).parent
    for shipped in (package / kind, package.parent / kind):
        if shipped.is_dir():
            return shipped
    from importlib.resources import files  # noqa: PLC0415 - only for a package inside a zip archive

    return files("pipegen") / kind


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema *name* that ships with the package."""
    read: dict[str, Any] = from_json((folder("schemas") / f"{name}.schema.json").read_bytes())
    return read
