"""Verbs that need much of pipegen, imported when they are called for: the others start faster without them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

import typer
from typer.core import TyperCommand, TyperGroup


def _diff() -> Callable[..., None]:
    from pipegen.cli.commands.diff import diff  # noqa: PLC0415 - see above

    return diff


def _run() -> Callable[..., None]:
    from pipegen.cli.commands.run import run  # noqa: PLC0415 - see above

    return run


def _simulate() -> Callable[..., None]:
    from pipegen.cli.commands.simulate import simulate  # noqa: PLC0415 - see above

    return simulate


_LATE: Mapping[str, Callable[[], Callable[..., None]]] = {"diff": _diff, "run": _run, "simulate": _simulate}


def later() -> None:
    """Hold the place of a verb that is imported later."""


class Verbs(TyperGroup):
    """The verbs; the late ones take their places when they are called for, or when help tells of them."""

    def get_command(self, ctx: object, cmd_name: str) -> TyperCommand | None:  # noqa: ARG002 - what typer hands on
        """Return the verb *cmd_name*, None where there is none."""
        if cmd_name in _LATE:
            made = typer.Typer(add_completion=False, rich_markup_mode=None)
            made.command(cmd_name)(_LATE[cmd_name]())
            self.commands[cmd_name] = typer.main.get_command(made)
        return cast("TyperCommand | None", self.commands.get(cmd_name))
