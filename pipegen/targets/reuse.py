"""What every engine makes of results that may be reused: nothing."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.plan.model import Plan


def report_reuse(plans: Iterable[Plan], engine: str, report: Report) -> None:
    """Report each job of *plans* whose result may be reused; *engine* runs it each time."""
    for plan in plans:
        for job in plan.jobs:
            if job.reuse is not None:
                report.add(
                    codes.NOT_REUSED,
                    f'{engine} runs stage "{job.stage}" each time: only runs on this machine reuse results',
                    at=job.reuse.span,
                    hint="to spare time there, keep files in a cache, or say by when: { changes: … } when it runs",
                )
