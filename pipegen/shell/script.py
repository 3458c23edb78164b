"""A job as one POSIX script, cut into the parts that targets lay out."""

from __future__ import annotations

from dataclasses import dataclass

from pipegen.plan.model import Credential


@dataclass(frozen=True, slots=True)
class Command:
    """One or more lines that belong together.

    An element of *lines* that holds a line break is quoted text over several
    lines: it cannot be indented. *comment* says what the lines do, "" when the
    first line says it.
    """

    lines: tuple[str, ...]
    comment: str = ""

    @property
    def is_indentable(self) -> bool:
        """Whether each line may be indented without changing what it means."""
        return all("\n" not in line for line in self.lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Script:
    """The parts of a script; one shell runs them all in this order, with `set -e` in force.

    Attributes:
        prelude: how a script with values or containers starts; equal for all jobs that need the same.
        bind: reads of values and secrets.
        steps: what the stage does.
        outputs: the values that other jobs read, written last.
        setup: the setup names that the parts use, in order of first use.
        credentials: the credentials that must be bound to variables around the script.
        uses_containers: whether it calls the container program.
        uses_helm: whether it calls helm.
        uses_git: whether it calls git (and python3, for the charts' own script).
        logs_in: whether it logs in to the registry.
        carries: paths under `.pipegen` that it leaves for other jobs, with a slash at the end of folders.
        archives: whether it leaves files to keep in `.pipegen/archive`.
    """

    prelude: tuple[Command, ...]
    bind: tuple[Command, ...]
    steps: tuple[Command, ...]
    outputs: tuple[Command, ...]
    setup: tuple[str, ...]
    credentials: tuple[Credential, ...]
    uses_containers: bool
    uses_helm: bool
    uses_git: bool
    logs_in: bool
    carries: tuple[str, ...]
    archives: bool

    @property
    def commands(self) -> tuple[Command, ...]:
        """All commands in order."""
        return (*self.prelude, *self.bind, *self.steps, *self.outputs)
