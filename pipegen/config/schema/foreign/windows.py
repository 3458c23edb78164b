"""Hints for commands of Windows, which scripts of a config do not run."""

from __future__ import annotations

import re

from pipegen.config.schema.foreign.model import Hint, Use, instead
from pipegen.source.tree import written_text


def step_hint(step: str) -> Hint:
    """Return a hint to write commands for Windows as a *step* of a plugin of Jenkins."""

    def hint(use: Use) -> str:
        command = written_text(use.value)
        is_plain = command and not re.search(r"['\\\n$]", command)
        return instead({"steps": {"jenkins": [f"{step} '{command if is_plain else '…'}'"], "elsewhere": "skip"}})

    return hint


def shell_hint(use: Use) -> str | None:
    """Return the hint for a shell of Windows; None for another one."""
    step = {"powershell": "powershell", "pwsh": "pwsh", "cmd": "bat"}.get(written_text(use.value))
    example = f"steps: {{jenkins: [{step} './build'], elsewhere: skip}}"
    return f'remove it, and write steps of Jenkins in place of the script: "{example}"' if step else None
