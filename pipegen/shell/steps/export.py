"""Binding a name to a value."""

from __future__ import annotations

from collections.abc import Iterator

from pipegen.plan.model import Export
from pipegen.shell.command import Command
from pipegen.shell.lowering import Lowering
from pipegen.shell.text import assignment, own_variable


def export(step: Export, lowering: Lowering) -> Iterator[Command]:
    """Yield the commands of *step*."""
    yield Command((assignment(own_variable(step.name, lowering), step.value, lowering),))
