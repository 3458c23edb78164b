"""Repeated checks of a config with errors, each without the parts that have errors."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

from pipegen.config.schema.violation import Path
from pipegen.config.unknown.unknown import Unknown
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report

T = TypeVar("T")

# A config that is too large takes too long to be checked several times.
_LIMITS = (codes.CONFIG_TOO_LARGE, codes.TOO_MANY_STAGES, codes.TOO_LARGE_VALUES)

# Each round gets past the errors that stopped the previous one; parts that depend on them need more rounds.
_MOST_ROUNDS = 12


def check_further(
    unknown: Unknown,
    checked: T | None,
    diagnostics: Report,
    again: Callable[[tuple[Path, ...], Report], T | None],
    after: Callable[[T, Report], object],
    report: Report,
    final: Collection[Code] = (),
) -> None:
    """Report the diagnostics of a config that stay valid however its *unknown* and invalid parts are corrected.

    *checked* is the result of a check without the unknown parts, None if it stopped, and *diagnostics* are its own.
    *again* checks without more parts; *after* makes further checks of a result without errors. A check with *final*
    errors is the last one.
    """
    report.take(diagnostics, unknown.is_certain)
    for _ in range(_MOST_ROUNDS):
        errors = diagnostics.errors()
        if errors:
            if any(error.code in (*_LIMITS, *final) for error in errors) or not unknown.add(errors):
                return
        elif checked is None:
            return
        elif not unknown.add_stages():
            last = Report()
            after(checked, last)
            report.take(last, unknown.is_certain)
            return
        diagnostics = Report()
        checked = again(tuple(unknown.parts), diagnostics)
        report.take(diagnostics, unknown.is_certain)
