"""Which agent a stage runs on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipegen.plan.model import Job
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob, PlanScripts
from pipegen.targets.jenkins.settings import JenkinsSettings

# What Jenkins reads as one label without quotes; a dash may not be followed by ">".
_PLAIN = r"[A-Za-z0-9_.:/@+=#-]+"


def agent_of(named: NamedJob, settings: JenkinsSettings) -> model.Agent:
    """Return the agent of a job: one with its labels, else one as the settings say."""
    label = _expression([named.job], settings) if named.job.machine.labels else settings.agent
    return model.Agent(label, named.is_pinned)


def common_agent(jobs: Iterable[Job], settings: JenkinsSettings) -> model.Agent:
    """Return the agent on which all *jobs* run: what each asks for, it must have."""
    found = tuple(jobs)
    return model.Agent(_expression(found, settings) if found else settings.agent)


def shared_agent(scripts: PlanScripts, settings: JenkinsSettings) -> model.Agent:
    """Return the agent of all stages of a pipeline that share a workspace."""
    return common_agent((job for job in scripts.plan.jobs if scripts.scripts[job.stage].commands), settings)


def _expression(jobs: Iterable[Job], settings: JenkinsSettings) -> str:
    """Return the labels of *jobs* with "&&" between; the settings' stands for a job without any."""
    wanted: dict[str, None] = {}
    for job in jobs:
        wanted |= dict.fromkeys(map(_written, job.machine.labels) if job.machine.labels else [settings.agent])
    wanted.pop("", None)
    if len(wanted) > 1 and settings.agent in wanted and not re.fullmatch(_PLAIN, settings.agent):
        return " && ".join(f"({one})" if one == settings.agent else one for one in wanted)
    return " && ".join(wanted)


def _written(label: str) -> str:
    return label if re.fullmatch(_PLAIN, label) else f'"{label}"'
