"""Charts whose newest version is installed, whatever it is."""

from __future__ import annotations

import re

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.lint.base import Checked
from pipegen.plan.model import Deploy

# Helm's ranges: https://helm.sh/docs/chart_best_practices/dependencies/#versions
_RANGE = re.compile(r"[\^~<>=*|, ]|(?:^|\.)[xX](?:\.|$)|^v?\d+(?:\.\d+)?$")


def check(checked: Checked, report: Report) -> None:
    """Report deployments of a chart without a version, or with a range of them; what only the run knows may be one."""
    for work in checked.work():
        for step in work.job.steps:
            version = step.version.constant if isinstance(step, Deploy) else None
            if not isinstance(step, Deploy) or version is None or (version and not _RANGE.search(version)):
                continue
            chart = step.chart.constant or "${…}"
            what = f'is asked for in any version of "{version}"' if version else "has no version"
            report.add(
                codes.UNPINNED_CHART,
                f'chart "{chart}" {what}: the newest is installed',
                at=step.version.span if version else step.chart.span,
                hint="name the version: chart: { name: …, version: 1.2.3 }",
            )
