"""Values in curly quotes, which YAML and shells read as letters: `name: “build”`."""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.lint.scripts import IN_CURLY_QUOTES
from pipegen.source.tree import scalars


def check(config: CheckedConfig, report: Report) -> None:
    """Report each value of a stage that is one text in curly quotes."""
    for stage in config.stages():
        for scalar in scalars(stage.config.body) if stage.config.body is not None else ():
            match = IN_CURLY_QUOTES.fullmatch(scalar.text)
            if match is not None:
                report.add(
                    codes.CURLY_QUOTES,
                    "curly quotes are part of the value: YAML knows only ' and \"",
                    at=scalar.span,
                    hint=f'write "{match["text"]}"',
                )
