"""Types of options and arguments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

import click

E = TypeVar("E", bound=StrEnum)

PATH = click.Path(path_type=Path)


class EnumChoice(click.Choice[E], Generic[E]):
    """The values of an enum; click would take the names of its members."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        """Return the text of *choice* on the command line."""
        return super().normalize_choice(str(choice), ctx)
