"""Tools that Jenkins installs, on the PATH of scripts."""

from __future__ import annotations

from collections.abc import Mapping

from pipegen.plan.model import Job
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.settings import JenkinsSettings

# The variables that programs read; all others are TYPE_HOME.
_HOMES: Mapping[str, str] = {"jdk": "JAVA_HOME", "go": "GOROOT"}


def tools(settings: JenkinsSettings) -> tuple[model.Tool, ...]:
    """Return the tools in *settings*."""
    return tuple(
        model.Tool(type=tool.type, name=tool.name, home=_HOMES.get(tool.type, f"{tool.type.upper()}_HOME"))
        for tool in settings.tools
    )


def uses_tools(job: Job, settings: JenkinsSettings) -> bool:
    """Return whether the script of *job* can use the tools, which are not available inside an image."""
    return bool(settings.tools) and bool(job.steps) and job.machine.image is None


def with_tools(job: Job, step: model.Step, settings: JenkinsSettings) -> model.Step:
    """Return *step*, the script of *job*, with the tools on its PATH."""
    return model.Wrapped("withTools", (step,)) if uses_tools(job, settings) else step
