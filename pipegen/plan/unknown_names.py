"""Diagnostics for names of undefined stages."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.config.model import StageConfig, StageName
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, suggestion
from pipegen.source.text import Located


def report_unknown_stage(
    what: str, name: Located[str], stages: Mapping[str, StageConfig], otherwise: str, report: Report, *, more: str = ""
) -> None:
    """Report that *what* (an arc, a key in quotes) names a stage that is not defined.

    *stages* are the candidates for a suggestion. *otherwise* is the hint if there is none; *more* is appended to the
    hint with the suggestion.
    """
    similar = suggestion(name.value, stages)
    brackets = name.written.removeprefix(name.value) if isinstance(name, StageName) else ""
    report.add(
        codes.UNKNOWN_STAGE,
        f'{what} names stage "{name.value}", which is not defined',
        at=name.span,
        label="no such stage",
        related=[Label(stages[similar].name.span, "did you mean this one?")] if similar else [],
        hint=f'rename it to "{similar}{brackets}"{more}' if similar else otherwise,
    )
