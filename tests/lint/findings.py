"""Helpers for lint tests: the diagnostics of a rule for a config."""

from __future__ import annotations

from pipegen.compiler import Analysed, analyse
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, LintRule
from pipegen.source.text import SourceFile


def analysed(text: str) -> Analysed:
    """Return the analysed config *text*, which must have no errors."""
    return analyse(SourceFile("pipegen.yaml", text), (), Report())


def checked(text: str) -> CheckedConfig:
    """Return the config *text* for rules."""
    result = analysed(text)
    return result.for_rules(tuple(result.settings))


def diagnostics_of(rule: LintRule, text: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of *rule* for the config *text*."""
    report = Report()
    rule(checked(text), report)
    return report.diagnostics()


def findings(rule: LintRule, text: str) -> list[tuple[int, str]]:
    """Return the line and the underlined text of each diagnostic of *rule* in the config *text*."""
    return [
        (diagnostic.primary.span.first.line, diagnostic.primary.span.text)
        for diagnostic in diagnostics_of(rule, text)
        if diagnostic.primary is not None
    ]


def stages(*written: str, execution: str = "", head: str = "", pipeline: str = "") -> str:
    """Return a config of one pipeline with the stages *written*, each a map on one line."""
    lines = [f"{head}pipelines:", "  p:", *([f"    {pipeline}"] if pipeline else []), "    stages:"]
    lines += [f"      - {line}" for line in written]
    lines += [f"    execution: {execution}"] if execution else []
    return "\n".join(lines) + "\n"
