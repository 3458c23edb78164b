"""What a change from a fork has no right to.

Who may not push proposes from a fork, and Jenkins builds that by itself. By default it takes the Jenkinsfile of such a
change from the branch that it is for (the trust of the branch source), and all else from the fork: the tests and
programs that a stage runs. So what keeps such a stage from credentials stands in the Jenkinsfile.
"""

from __future__ import annotations

from pipegen.plan.model import Deploy, Promote, Publish, Trigger
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.settings import Settings
from pipegen.targets.jenkins.work import NamedJob


def guard(named: NamedJob, settings: Settings) -> tuple[model.Step, ...]:
    """Return what ends a stage for a change from a fork, where that must not do what the stage does."""
    return (model.NoFork(),) if not settings.trust_forks and _has_rights(named, settings) else ()


def _has_rights(named: NamedJob, settings: Settings) -> bool:
    """Return whether a stage has credentials, or leaves something outside of the build."""
    script = named.script
    has_login = script.logs_in and bool(settings.registry_credential)
    acts = any(isinstance(step, Publish | Promote | Deploy | Trigger) for step in named.job.steps)
    return bool(script.credentials) or has_login or acts
