"""A name that no stage has, wherever one names it."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.config.model import StageConfig
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Label
from pipegen.diagnostics.report import Report, suggestion
from pipegen.source.text import Located


def report_unknown_stage(
    what: str, name: Located[str], stages: Mapping[str, StageConfig], otherwise: str, report: Report, *, more: str = ""
) -> None:
    """Report that *what* (an arc, a key in quotes) names a stage that is not defined.

    *stages* are those that may be meant. *otherwise* is the hint where none is near, *more* goes on behind the one
    that names it.
    """
    found = suggestion(name.value, stages)
    report.add(
        codes.UNKNOWN_STAGE,
        f'{what} names stage "{name.value}", which is not defined',
        at=name.span,
        label="no such stage",
        also=[Label(stages[found].name.span, "did you mean this one?")] if found else [],
        hint=f'rename it to "{found}"{more}' if found else otherwise,
    )
