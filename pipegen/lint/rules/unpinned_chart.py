"""Charts without an exact version."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import CheckedConfig
from pipegen.plan.model import Deploy

# Helm's ranges: https://helm.sh/docs/chart_best_practices/dependencies/#versions
_RANGE = r"[\^~<>=*|, ]|(?:^|\.)[xX](?:\.|$)|^v?\d+(?:\.\d+)?$"


def check(config: CheckedConfig, report: Report) -> None:
    """Report deployments of a chart without a version, or with a range of versions."""
    for stage in config.stages():
        for step in stage.job.steps:
            if isinstance(step, Deploy):
                _check(step, report)


def _check(step: Deploy, report: Report) -> None:
    """Report the chart of *step*; a version known only at run time is not reported."""
    version, name = step.version.constant, step.chart.constant
    if version is None or (version and not re.search(_RANGE, version)):
        return
    chart = f'chart "{name}"' if name is not None else "the chart"
    problem = f'accepts any version of "{version}"' if version else "has no version"
    report.add(
        codes.UNPINNED_CHART,
        f"{chart} {problem}: the newest is installed",
        at=step.version.span if version else step.chart.span,
        hint="pin the version: chart: { name: …, version: 1.2.3 }",
    )
