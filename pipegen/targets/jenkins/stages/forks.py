"""What a change from a fork has no right to.

Who may not push proposes from a fork, and Jenkins builds that by itself. By default it takes the Jenkinsfile of such a
change from the branch that it is for (the trust of the branch source), and all else from the fork: the tests and
programs that a stage runs. So what keeps such a stage from credentials, and from what others share, stands in the
Jenkinsfile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Deploy, Promote, PublishImage, TriggerJob
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.limits import LimitedSteps
from pipegen.targets.jenkins.stages.raw import heads

# Block steps that give a stage nothing that it has not without them. Any other may bind credentials (`withCredentials`,
# `sshagent`, `withAWS`, `configFileProvider`), hold what production needs (`lock`, `throttle`), or be a library's.
_HARMLESS = frozenset(
    "ansiColor catchError dir retry script timeout timestamps waitUntil warnError withEnv ws".split()  # noqa: SIM905
)


def guarded(named: NamedJob, found: LimitedSteps, settings: JenkinsSettings) -> LimitedSteps:
    """Return the steps of a stage behind what ends it for a change from a fork, where that must not do what it does.

    That comes before a person is asked, a lock is held or an agent is taken, unless the whole stage has that agent.
    """
    if settings.trust_forks or not _has_rights(named, settings):
        return found
    return LimitedSteps(found.agent, (model.NoFork(), *found.steps))


def file_guard(properties: Sequence[model.Property], settings: JenkinsSettings) -> tuple[model.NoFork, ...]:
    """Return what ends the whole build for a change from a fork: what stands around all stages is not for it."""
    around = (one.text for one in properties if one.kind is model.PropertyKind.AROUND)
    return (model.NoFork(),) if not settings.trust_forks and _may_have_rights(around) else ()


def _has_rights(named: NamedJob, settings: JenkinsSettings) -> bool:
    """Return whether a stage has credentials, holds what others wait for, or leaves something outside of the build."""
    job, script = named.job, named.script
    has_login = script.logs_in and bool(settings.registry_credential)
    acts = any(isinstance(step, PublishImage | Promote | Deploy | TriggerJob) for step in job.steps)
    deploys = job.deployment.environment is not None or bool(job.deployment.locks)
    return bool(script.credentials) or has_login or acts or deploys or _may_have_rights(heads(job))


def _may_have_rights(calls: Iterable[str]) -> bool:
    return any(model.step_name(call) not in _HARMLESS for call in calls)
