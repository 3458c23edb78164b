"""Names of environment variables that a script may set."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import Span

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"
# What bash, or dash, lets nobody set; and the names that scripts of ours use.
_READ_ONLY = frozenset({"BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"})
_OURS = r"pipegen(?:_.*)?|PIPEGEN_OUTPUTS"


def check_variable_name(name: str | None, at: Span, report: Report) -> bool:
    """Return whether every shell takes *name* for a variable that can be set; else it is reported.

    None is a name that only the run would know.
    """
    if name is not None and re.fullmatch(_VARIABLE, name):
        if name not in _READ_ONLY and not re.fullmatch(_OURS, name):
            return True
        what = "a shell sets itself" if name in _READ_ONLY else "pipegen sets itself"
        report.add(codes.INVALID_VARIABLE, f'"{name}" is a variable that {what}', at=at, hint="use another name")
        return False
    report.add(
        codes.INVALID_VARIABLE,
        f'"{"${…}" if name is None else name}" is no name that a shell takes for a variable',
        at=at,
        hint='use letters, digits and "_", and begin with no digit',
    )
    return False
