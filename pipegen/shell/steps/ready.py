"""What a script waits for before it begins: services that answer."""

from __future__ import annotations

from pipegen.plan.model import Service
from pipegen.shell.command import Command
from pipegen.shell.layout import failure, indented, otherwise
from pipegen.shell.lowering import Lowering
from pipegen.shell.steps.traces import indentable

_SECONDS = 60


def waited_for(service: Service, ready: str, lowering: Lowering) -> Command:
    """Return the command that tries the commands *ready* until they succeed, for up to a minute."""
    late = failure(lowering.job, f'service "{service.alias}" was not ready within {_SECONDS} seconds')
    return Command(
        (
            f"pipegen_end=$(($(date +%s) + {_SECONDS}))",
            "until (",
            *indented(indentable(ready)),
            "); do",
            *indented((*otherwise('[ "$(date +%s)" -lt "$pipegen_end" ]', late), "sleep 1")),
            "done",
        ),
        f"until service {service.alias} is ready",
        is_users=True,
    )
