"""The rules of lint, asked of what has been analysed; they are loaded when they are."""

from __future__ import annotations

import shutil

from pipegen.compiler import Analysed
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report


def is_told(code: Code) -> bool:
    """Return whether the rules tell of *code* wherever there is something to tell: shellcheck may not be here."""
    return code not in {codes.SHELLCHECK, codes.SHELLCHECK_NOTE} or shutil.which("shellcheck") is not None


def lint(analysed: Analysed, report: Report, *, fixable: bool = False) -> None:
    """Report what the rules find in *analysed*; only what may be *fixable*, if asked so."""
    from pipegen.lint.base import Checked  # noqa: PLC0415 - no other verb needs the rules
    from pipegen.lint.registry import FIXING, RULES, ask  # noqa: PLC0415

    checked = Checked(analysed.file, analysed.pipelines, analysed.plans, analysed.settings)
    ask(FIXING if fixable else RULES, checked, report)
