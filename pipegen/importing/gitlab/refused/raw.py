"""Keys in `raw: {gitlab: …}` of stages that GitLab refuses."""

from __future__ import annotations

from collections.abc import Iterable

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.importing.gitlab.refused.forms import Problem
from pipegen.importing.gitlab.refused.keys import wrong_in_job
from pipegen.plan.model import Plan

# The keys are merged into those of a job, which has the others; a later version of GitLab may know other keys.
_REPORTED = (Problem.VALUE, Problem.TYPO)


def check_raw(plans: Iterable[Plan], report: Report) -> None:
    """Report values and typos in the keys for GitLab of *plans*, once for keys that several stages have."""
    checked = {id(keys): keys for plan in plans for job in plan.jobs if (keys := job.raw_for("gitlab")) is not None}
    for keys in checked.values():
        for wrong in wrong_in_job(keys):
            if wrong.problem in _REPORTED:
                path = ":".join(wrong.path)
                message = f'GitLab refuses "{path}" in "raw": {wrong.reason}'
                report.add(codes.RAW_KEY_REFUSED, message, at=wrong.span, hint=wrong.hint)
