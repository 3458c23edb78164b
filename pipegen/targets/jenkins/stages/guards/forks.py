"""Guards against changes from forks.

Anyone can propose a change from a fork, and Jenkins builds it automatically. By default, it takes the Jenkinsfile of
the change from the target branch (the trust setting of the branch source), but everything else from the fork: the
tests and programs that a stage runs. So the Jenkinsfile keeps such a stage from credentials and shared resources.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipegen.plan.model import Deploy, Event, Promote, PublishImage, TriggerJob
from pipegen.plan.model.logic import can_hold
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.guards.limits import LimitedSteps
from pipegen.targets.jenkins.stages.plugin_steps import names
from pipegen.targets.jenkins.stages.raw import heads

# Steps with effects outside the build.
_ACTING = frozenset((PublishImage, Promote, Deploy, TriggerJob))
# Steps that give a stage no additional rights. Any other may bind credentials (`withCredentials`,
# `sshagent`, `withAWS`, `configFileProvider`), hold shared resources (`lock`, `throttle`), or be from a library.
_HARMLESS = frozenset(
    (  # noqa: SIM905
        "ansiColor catchError dir retry script timeout timestamps waitUntil warnError withEnv ws "
        "bat fileExists isUnix powershell print println pwd pwsh readFile readJSON readYaml sh tool "
        "archiveArtifacts cleanWs deleteDir echo error fingerprint junit recordCoverage recordIssues sleep stash "
        "unstable unstash writeFile"
    ).split()
)


def guarded(named: NamedJob, limited: LimitedSteps, settings: JenkinsSettings) -> LimitedSteps:
    """Return the steps of a stage after a guard against changes from forks, if it has rights and runs for changes.

    The guard comes before approvals, locks and the agent, unless the whole stage has that agent.
    """
    runs_for_changes = can_hold(named.job.condition, (Event.MERGE_REQUEST,))
    if settings.trust_forks or not runs_for_changes or not _has_rights(named, settings):
        return limited
    return LimitedSteps(limited.agent, (model.NoFork(), *limited.steps))


def file_guard(properties: Sequence[model.Property], settings: JenkinsSettings) -> tuple[model.NoFork, ...]:
    """Return the guard that ends the whole build for a change from a fork, if blocks around all stages have rights."""
    blocks = (property_.text for property_ in properties if property_.kind is model.PropertyKind.AROUND)
    return (model.NoFork(),) if not settings.trust_forks and _may_have_rights(blocks) else ()


def _has_rights(named: NamedJob, settings: JenkinsSettings) -> bool:
    """Return whether a stage has credentials, holds shared resources, or has effects outside the build."""
    job, script = named.job, named.script
    image = job.machine.image
    has_login = bool(script.login and settings.registry_credential) or (image is not None and image.credentials)
    acts = not _ACTING.isdisjoint(map(type, job.steps))
    deploys = job.deployment.environment is not None or bool(job.deployment.locks)
    return (
        bool(job.secrets or script.credentials or has_login)
        or acts
        or deploys
        or _may_have_rights((*heads(job), *names(job)))
    )


def _may_have_rights(calls: Iterable[str]) -> bool:
    return any(model.step_name(call) not in _HARMLESS for call in calls)
