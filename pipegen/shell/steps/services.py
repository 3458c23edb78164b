"""The wait for the services of a stage."""

from __future__ import annotations

from pipegen.plan.model import Service
from pipegen.shell.command import Command
from pipegen.shell.layout import indented
from pipegen.shell.quote import quote
from pipegen.shell.words.shell_effects import indentable, is_open_ended, may_change_shell

_SECONDS = 60


def wait_for_service(service: Service, ready: str) -> Command:
    """Return the command that repeats the commands *ready* until they succeed, for up to a minute."""
    is_simple = not (
        "#" in ready or "\n" in ready or ready.endswith("\\") or may_change_shell(ready) or is_open_ended(ready)
    )
    late = f"echo {quote(f'service {service.alias} was not ready within {_SECONDS} seconds')} >&2; exit 1;"
    return Command(
        (
            f"pipegen_end=$(($(date +%s) + {_SECONDS}))",
            *((f"until {ready}; do",) if is_simple else ("until (", *indented(indentable(ready)), "); do")),
            f'  [ "$(date +%s)" -lt "$pipegen_end" ] || {{ {late} }}',
            "  sleep 1",
            "done",
        ),
        f"until service {service.alias} is ready",
        is_users=True,
    )
