"""The rules of lint, asked of what has been analysed; they are loaded when they are."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipegen.compiler import Analysed
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report
from pipegen.targets.base import Target

if TYPE_CHECKING:
    from pipegen.lint.base import CheckedConfig


def is_told(code: Code) -> bool:
    """Return whether the rules report *code* wherever it applies: its program may not be installed."""
    programs = {
        codes.SHELLCHECK: "shellcheck",
        codes.SHELLCHECK_NOTE: "shellcheck",
        codes.SHELL_SYNTAX: "sh",
        codes.BASH_SYNTAX: "bash",
    }
    return code not in programs or shutil.which(programs[code]) is not None


def lint(analysed: Analysed, report: Report, targets: Sequence[Target] | None = None, *, fixable: bool = False) -> None:
    """Report what the rules find in *analysed*; only what may be *fixable*, if asked so.

    Without *targets*, it is compiled for those that the config names.
    """
    from pipegen.lint.registry import FIXABLE_RULES, RULES, run_rules  # noqa: PLC0415 - no other verb needs the rules

    run_rules(FIXABLE_RULES if fixable else RULES, _checked(analysed, targets), report)


def check_scripts(analysed: Analysed, targets: Sequence[Target], report: Report) -> None:
    """Report the scripts of *analysed* that do not run on *targets*.

    Their shell cannot parse them, or variables of another engine stand in them.
    """
    if not any(
        stage.script is not None or stage.after is not None for one in analysed.pipelines for stage in one.stages
    ):
        return
    from pipegen.lint.rules import foreign_variable, shell_syntax  # noqa: PLC0415 - for configs with scripts alone

    checked = _checked(analysed, targets)
    shell_syntax.check(checked, report)
    foreign_variable.check(checked, report)


def _checked(analysed: Analysed, targets: Sequence[Target] | None) -> CheckedConfig:
    from pipegen.lint.base import CheckedConfig  # noqa: PLC0415 - no other verb needs the rules

    names = tuple(analysed.settings) if targets is None else tuple(target.NAME for target in targets)
    return CheckedConfig(analysed.file, analysed.pipelines, analysed.plans, analysed.settings, names)
