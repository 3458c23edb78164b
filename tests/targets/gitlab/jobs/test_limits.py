"""The reasons to retry a job."""

from __future__ import annotations

from itertools import chain

from pipegen.plan.model import Failure, SystemFailure
from pipegen.targets.gitlab.jobs.limits import RETRY_REASONS, SYSTEM_REASONS

# https://docs.gitlab.com/ci/yaml/#retrywhen, GitLab 18.11; GitLab refuses others.
DOCUMENTED = frozenset(
    {
        *("unknown_failure", "script_failure", "api_failure", "stuck_or_timeout_failure", "runner_system_failure"),
        *("runner_unsupported", "stale_schedule", "job_execution_timeout", "archived_failure", "unmet_prerequisites"),
        *("scheduler_failure", "data_integrity_failure"),
    }
)


def test_all_reasons_to_retry_are_documented() -> None:
    """Each reason of GitLab has a name in the config."""
    assert {*chain(*RETRY_REASONS.values()), *SYSTEM_REASONS.values()} == DOCUMENTED
    assert SYSTEM_REASONS.keys() == set(SystemFailure)
    assert RETRY_REASONS.keys() == set(Failure)
    assert set(RETRY_REASONS[Failure.SYSTEM]) <= set(SYSTEM_REASONS.values())
