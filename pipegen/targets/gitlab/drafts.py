"""What is known of a stage before the needs of others are: its script, and how its trigger is started."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pipegen.diagnostics.report import Report
from pipegen.plan.model import Job, Plan, Trigger
from pipegen.shell.host import Host
from pipegen.shell.quote import word
from pipegen.shell.script import Script, script
from pipegen.targets.gitlab.model import Artifacts, Entry, Variable
from pipegen.targets.gitlab.scripts import entries
from pipegen.targets.gitlab.settings import Settings
from pipegen.targets.gitlab.tools import Surroundings, installs, surroundings
from pipegen.targets.gitlab.triggers import Bridge, Call, lower_trigger


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A stage's own script and what it leaves; *trigger* is what starts after it."""

    job: Job
    around: Surroundings
    script: tuple[Entry, ...]
    variables: tuple[Variable, ...]
    artifacts: Artifacts
    trigger: Bridge | Call | None

    @property
    def is_bridge(self) -> bool:
        """Whether the stage does nothing but start a pipeline, so that its job may be what GitLab starts it by."""
        return isinstance(self.trigger, Bridge) and not self.script


def draft(job: Job, plan: Plan, host: Host, settings: Settings, report: Report) -> Draft:
    """Return the draft of *job*."""
    trigger = lower_trigger(job, settings.projects, report)
    if not isinstance(trigger, Call):
        job = replace(job, steps=tuple(step for step in job.steps if not isinstance(step, Trigger)))
    made = script(job, plan, host, report)
    body = (*entries(made.bind), *entries(made.steps), *entries(made.outputs, comment="outputs"))
    return Draft(
        job=job,
        around=surroundings(made, settings),
        script=(*installs(made, settings), *body) if body else (),
        variables=_variables(made),
        artifacts=_artifacts(job, made),
        trigger=trigger,
    )


def idle(job: Job) -> tuple[Entry, ...]:
    """Return the script of a stage that does nothing; GitLab has no job without one."""
    return (Entry(f"echo {word(f'nothing to do in stage {job.stage}')}"),)


def _variables(made: Script) -> tuple[Variable, ...]:
    # Outside the build context, and not shared with other jobs of a shell runner.
    return (Variable("DOCKER_CONFIG", "$CI_PROJECT_DIR.tmp/docker"),) if made.logs_in else ()


def _artifacts(job: Job, made: Script) -> Artifacts:
    """Return what the job leaves: its files, and what it carries for other jobs."""
    paths = [artifact.path for artifact in job.artifacts if artifact.path is not None]
    return Artifacts((*paths, *made.carries), untracked=any(artifact.path is None for artifact in job.artifacts))
