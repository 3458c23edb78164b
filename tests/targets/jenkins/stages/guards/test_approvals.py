"""Approvals and locks of stages."""

from __future__ import annotations

from plan.sample_plans import plan_of

from pipegen.targets.engine_names import group_resource
from pipegen.targets.jenkins.model import Wrapped
from pipegen.targets.jenkins.stages.guards.approvals import with_waits
from pipegen.targets.jenkins.stages.guards.limits import LimitedSteps


def resource(lock: str) -> str:
    """Return the name of the resource that a stage with *lock* acquires."""
    (job,) = plan_of(f'[{{name: s, script: x, lock: "{lock}"}}]').jobs
    (step,) = with_waits(job, LimitedSteps(None, ()), ()).steps
    assert isinstance(step, Wrapped)
    return step.head


def test_locks_differ_from_the_lock_of_runs() -> None:
    """A stage that waits for the lock of its own run would wait forever; other locks stay distinct."""
    runs = group_resource("deploy")
    locks = (runs, f"lock {runs}", f"lock lock {runs}", "deploy", "it's", "lock")
    names = {resource(lock) for lock in locks}

    assert f"lock(resource: '{runs}')" not in names
    assert len(names) == len(locks)
    assert resource("deploy") == "lock(resource: 'deploy')"
