"""What the tests of lint share: a config in, what a rule says of it out."""

from __future__ import annotations

from pipegen.compiler import Analysed, analyse
from pipegen.diagnostics.model import Diagnostic
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig, LintRule
from pipegen.source.text import SourceFile


def analysed(text: str) -> Analysed:
    """Return what the config *text* says; nothing may be wrong with it."""
    return analyse(SourceFile("pipegen.yaml", text), (), Report())


def checked(text: str) -> CheckedConfig:
    """Return the config *text* for rules."""
    found = analysed(text)
    return CheckedConfig(found.file, found.pipelines, found.plans, found.settings, tuple(found.settings))


def asked(rule: LintRule, text: str) -> tuple[Diagnostic, ...]:
    """Return what *rule* says of the config *text*."""
    report = Report()
    rule(checked(text), report)
    return report.diagnostics()


def told(rule: LintRule, text: str) -> list[tuple[int, str]]:
    """Return what *rule* says of the config *text*: the line, and what is underlined there."""
    return [
        (found.primary.span.first.line, found.primary.span.text)
        for found in asked(rule, text)
        if found.primary is not None
    ]


def stages(*written: str, execution: str = "", head: str = "", pipeline: str = "") -> str:
    """Return a config of one pipeline with the stages *written*, each a map on one line."""
    lines = [f"{head}pipelines:", "  p:", *([f"    {pipeline}"] if pipeline else []), "    stages:"]
    lines += [f"      - {one}" for one in written]
    lines += [f"    execution: {execution}"] if execution else []
    return "\n".join(lines) + "\n"
