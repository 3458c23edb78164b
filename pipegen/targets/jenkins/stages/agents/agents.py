"""The agents that stages run on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipegen.plan.model import Job
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob, PlanScripts
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages import plugin_steps
from pipegen.targets.jenkins.stages.agents.pods import shared_pod

# A label that Jenkins reads without quotes; a dash must not be followed by ">".
_PLAIN = r"[A-Za-z0-9_.:/@+=#-]+"


def agent_of(named: NamedJob, settings: JenkinsSettings) -> model.Agent:
    """Return the agent of a job: one with its labels, else the one in the settings."""
    if named.pins:
        return common_agent(named.pins, settings)
    label = _expression([named.job], settings) if _has_labels(named.job) else settings.agent
    return model.Agent(label, named.is_pinned)


def common_agent(jobs: Iterable[Job], settings: JenkinsSettings) -> model.Agent:
    """Return the agent for all *jobs*: it must have the labels of each."""
    all_jobs = tuple(jobs)
    return model.Agent(_expression(all_jobs, settings) if all_jobs else settings.agent)


def shared_agent(scripts: PlanScripts, settings: JenkinsSettings) -> model.Agent | model.PodAgent:
    """Return the agent of all stages of a pipeline that share a workspace: those with work on an agent choose it."""
    return shared_pod(scripts.plan) or common_agent(
        (job for job in scripts.plan.jobs if scripts.scripts[job.stage].commands or plugin_steps.needs_agent(job)),
        settings,
    )


def _expression(jobs: Iterable[Job], settings: JenkinsSettings) -> str:
    """Return the labels of *jobs* joined by "&&"; a job without labels has that of the settings."""
    labels: dict[str, None] = {}
    for job in jobs:
        own = (*map(_quoted, job.machine.labels), *map(_in_parentheses, job.machine.label_expressions))
        labels |= dict.fromkeys(own or [settings.agent])
    labels.pop("", None)
    if len(labels) > 1 and settings.agent in labels and not re.fullmatch(_PLAIN, settings.agent):
        return " && ".join(f"({label})" if label == settings.agent else label for label in labels)
    return " && ".join(labels)


def _has_labels(job: Job) -> bool:
    return bool(job.machine.labels or job.machine.label_expressions)


def _in_parentheses(expression: str) -> str:
    """Return *expression* as an operand of `&&`."""
    return f"({expression})" if re.search(r"\|\||->|&&", expression) else expression


def _quoted(label: str) -> str:
    return label if re.fullmatch(_PLAIN, label) else f'"{label}"'
