"""Types of options and arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

import click

from pipegen.cli.exits import WrongUsage

E = TypeVar("E", bound=StrEnum)

# A file that cannot be read is a failure of the environment, which the reader reports, not wrong usage.
PATH = click.Path(path_type=Path, readable=False)


class FleetForm(StrEnum):
    """The format of a simulation."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def existing(path: Path) -> Path:
    """Return the *path* of a file to read; raise `WrongUsage` if there is none."""
    if path.is_dir():
        raise WrongUsage(f'"{path}" is a folder')
    if not path.exists():
        raise WrongUsage(f'"{path}" does not exist')
    return path


def beginning_with(
    values: Callable[[], Iterable[str]],
) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return the completion of an option in the shell: those of *values* that begin with the text so far."""
    return lambda _context, _parameter, text: [value for value in values() if value.startswith(text)]


class _ExistingFile(click.Path):
    """The path of a file to read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return *value* as a path; raise `WrongUsage` if there is no such file."""
        return existing(Path(str(super().convert(value, param, ctx))))


EXISTING_FILE = _ExistingFile(readable=False)


class EnumChoice(click.Choice[E], Generic[E]):
    """The values of an enum; click would take the names of its members."""

    def normalize_choice(self, choice: object, ctx: click.Context | None) -> str:
        """Return the text of *choice* on the command line."""
        return super().normalize_choice(str(choice), ctx)
