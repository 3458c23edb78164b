"""Charts whose newest version is installed, whatever it is."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import Deploy

# Helm's ranges: https://helm.sh/docs/chart_best_practices/dependencies/#versions
_RANGE = r"[\^~<>=*|, ]|(?:^|\.)[xX](?:\.|$)|^v?\d+(?:\.\d+)?$"


def check(checked: Checked, report: Report) -> None:
    """Report deployments of a chart without a version, or with a range of them."""
    for work in checked.work():
        for step in work.job.steps:
            if isinstance(step, Deploy):
                _check(step, report)


def _check(step: Deploy, report: Report) -> None:
    """Report the chart of *step*; what only the run knows may be a version."""
    version, name = step.version.constant, step.chart.constant
    if version is None or (version and not re.search(_RANGE, version)):
        return
    chart = f'chart "{name}"' if name is not None else "the chart"
    what = f'is asked for in any version of "{version}"' if version else "has no version"
    report.add(
        codes.UNPINNED_CHART,
        f"{chart} {what}: the newest is installed",
        at=step.version.span if version else step.chart.span,
        hint="name the version: chart: { name: …, version: 1.2.3 }",
    )
