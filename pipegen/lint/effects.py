"""Jobs with effects outside their own run, which may be the reason for an order."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.plan.model import Commands, Deploy, Deployment, Job, Promote, PublishImage, RunContainer, TriggerJob

# Words in names and commands of stages that suggest effects beyond the stage's own files.
_WORDS = re.compile(
    r"deploy|releas|publish|push|upload|promot|notif|announc|rollout|rollback|migrat|provision|cleanup|teardown|"
    r"\b(?:kubectl|helm|terraform|ansible|ansible-playbook|aws|gcloud|az|ssh|scp|rsync|sftp|mail|twine|psql|mysql)\b|"
    r"\bcurl\b.*(?:\s-(?:d|X|T)|\s--(?:data|request|upload))",
    re.IGNORECASE,
)


def _has_effects(job: Job) -> bool:
    """Return whether *job* declares effects beyond its own files: it deploys, triggers, or has secrets."""
    if job.deployment != Deployment() or job.secrets or job.id_tokens:
        return True
    return any(
        isinstance(step, PublishImage | Promote | Deploy | TriggerJob)
        or (isinstance(step, RunContainer) and step.credentials)
        for step in job.steps
    )


def may_have_effects(job: Job) -> bool:
    """Return whether *job* has effects, or its name or commands suggest them."""
    return _has_effects(job) or any(_WORDS.search(text) for text in _texts(job))


def deploys(job: Job) -> bool:
    """Return whether *job* has an environment, and neither stops it nor only uses it."""
    environment = job.deployment.environment
    return environment is not None and not environment.stops and not environment.action


def _texts(job: Job) -> Iterator[str]:
    yield job.title
    for step in job.steps:
        for line in step.lines if isinstance(step, Commands) else ():
            yield from (part for part in line.script.parts if isinstance(part, str))
