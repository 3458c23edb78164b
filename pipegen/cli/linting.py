"""Lint rules for analysed configs, loaded on first use."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from pipegen.compiler import Analysed
from pipegen.diagnostics import codes
from pipegen.diagnostics.model import Code
from pipegen.diagnostics.report import Report
from pipegen.lint.rules import axis_variable, foreign_variable, shell_syntax
from pipegen.targets.base import Target


def has_program(code: Code) -> bool:
    """Return whether the program that *code* needs, if any, is installed."""
    programs = {
        codes.SHELLCHECK: "shellcheck",
        codes.SHELLCHECK_NOTE: "shellcheck",
        codes.SHELL_SYNTAX: "sh",
        codes.BASH_SYNTAX: "bash",
    }
    return code not in programs or shutil.which(programs[code]) is not None


def lint(analysed: Analysed, report: Report, targets: Sequence[Target] | None = None, *, fixable: bool = False) -> None:
    """Report the findings of rules in *analysed*, with *fixable* only those that can be fixed.

    Without *targets*, the targets are those that the config names.
    """
    from pipegen.lint.registry import FIXABLE_RULES, RULES, run_rules  # noqa: PLC0415 - only for one command: 5 % of 10 stages

    names = analysed.settings if targets is None else [target.NAME for target in targets]
    run_rules(FIXABLE_RULES if fixable else RULES, analysed.for_rules(tuple(names)), report)


def check_raw(analysed: Analysed, targets: Sequence[Target], report: Report) -> None:
    """Report keys in `raw` of *analysed* that GitLab refuses, if it is one of *targets*."""
    has_raw = any(job.raw for plan in analysed.plans for job in plan.jobs)
    if has_raw and any(target.NAME == "gitlab" for target in targets):
        from pipegen.importing.gitlab.refused.raw import check_raw as check  # noqa: PLC0415 - few stages have such keys

        check(analysed.plans, report)


def check_scripts(analysed: Analysed, targets: Sequence[Target], report: Report) -> None:
    """Report scripts of *analysed* that do not run on *targets*.

    Their shell cannot parse them, or they use variables of another engine, or axes as variables.
    """
    if not any(
        stage.script is not None or stage.after is not None
        for pipeline in analysed.pipelines
        for stage in pipeline.stages
    ):
        return
    checked = analysed.for_rules([target.NAME for target in targets])
    shell_syntax.check(checked, report)
    foreign_variable.check(checked, report)
    axis_variable.check(checked, report)
