"""The templates and schemas that travel with the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal


def folder(kind: Literal["templates", "schemas"]) -> Traversable:
    """Return the folder of shipped *kind*: the wheel's own, else the one at the top of the checkout."""
    shipped = files("pipegen") / kind
    return shipped if shipped.is_dir() else Path(__file__).parent.parent / kind
