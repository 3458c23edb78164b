"""Names of environment variables that a script sets."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model.steps import is_variable_name
from pipegen.source.text import Span

# Read-only variables of bash and dash, and names that generated scripts use.
_READ_ONLY = frozenset({"BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"})
_OURS = re.compile(r"pipegen(?:_.*)?|PIPEGEN_OUTPUTS")


def check_variable_name(name: str | None, at: Span, report: Report) -> bool:
    """Return whether every shell can set a variable with this *name*; else report it.

    None is a name that is fixed only at run time.
    """
    if name is not None and is_variable_name(name):
        if name not in _READ_ONLY and not _OURS.fullmatch(name):
            return True
        owner = "the shell sets itself" if name in _READ_ONLY else "pipegen sets itself"
        report.add(codes.INVALID_VARIABLE, f'"{name}" is a variable that {owner}', at=at, hint="use another name")
        return False
    report.add(
        codes.INVALID_VARIABLE,
        f'"{"${…}" if name is None else name}" is not a valid name of a shell variable',
        at=at,
        hint='use letters, digits and "_", and do not start with a digit',
    )
    return False
