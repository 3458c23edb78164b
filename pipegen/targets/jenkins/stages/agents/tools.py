"""Tools that Jenkins installs, on the PATH of scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from pipegen.plan.model import Job
from pipegen.structs import replace
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.groovy import tool_list
from pipegen.targets.jenkins.settings import JenkinsSettings

# The variables that programs read; all others are TYPE_HOME.
_HOMES: Mapping[str, str] = {"jdk": "JAVA_HOME", "go": "GOROOT"}
# The types of tools by other names for them.
_TYPES: Mapping[str, str] = {"java": "jdk", "node": "nodejs"}


def tools(job: Job, settings: JenkinsSettings) -> tuple[model.Tool, ...]:
    """Return the tools of *job*: those in *settings*, if it has steps, and its own; inside an image there are none."""
    if job.machine.image is not None or not (job.steps or job.machine.tools or job.plugin_steps):
        return ()
    names = {_TYPES.get(tool.type, tool.type): tool.name for tool in settings.tools}
    names |= {_TYPES.get(type_, type_): name for type_, name in job.machine.tools}
    return tuple(model.Tool(type=type_, name=name, home=_home(type_)) for type_, name in names.items())


def _home(type_: str) -> str:
    return _HOMES.get(type_, f"{type_.upper()}_HOME")


def with_tools(job: Job, steps: tuple[model.Step, ...], settings: JenkinsSettings) -> tuple[model.Step, ...]:
    """Return *steps* with the tools of *job* on their PATH."""
    own = tools(job, settings)
    return (model.Wrapped(f"withTools({tool_list(own)})", steps),) if steps and own else steps


def with_common_tools(steps: Sequence[model.Step]) -> tuple[model.Step, ...]:
    """Return *steps*, with those that follow each other with the same tools on their PATH in one block."""
    joined: list[model.Step] = []
    for step in steps:
        previous = joined[-1] if joined else None
        if _has_tools(step) and _has_tools(previous) and step.head == previous.head:
            joined[-1] = replace(previous, steps=(*previous.steps, *step.steps))
        else:
            joined.append(step)
    return tuple(joined)


def _has_tools(step: model.Step | None) -> TypeGuard[model.Wrapped]:
    return isinstance(step, model.Wrapped) and step.head.startswith("withTools(")
