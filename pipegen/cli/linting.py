"""The rules of lint, asked of what has been analysed; they are loaded when they are."""

from __future__ import annotations

from pipegen.compiler import Analysed
from pipegen.diagnostics.report import Report


def lint(analysed: Analysed, report: Report, *, fixable: bool = False) -> None:
    """Report what the rules find in *analysed*; only what may be *fixable*, if asked so."""
    from pipegen.lint.base import Checked  # noqa: PLC0415 - no other verb needs the rules
    from pipegen.lint.registry import FIXING, RULES, ask  # noqa: PLC0415

    checked = Checked(analysed.file, analysed.pipelines, analysed.plans, analysed.settings)
    ask(FIXING if fixable else RULES, checked, report)
