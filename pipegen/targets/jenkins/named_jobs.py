"""What a Jenkinsfile is made from: plans with the scripts of their stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipegen.graph.walk import finish_order
from pipegen.plan.model import Job, Plan, Workspace
from pipegen.shell.host import Images
from pipegen.shell.script import Command, StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.names import display_names
from pipegen.targets.jenkins.settings import JenkinsSettings

# A question with more parts is too much for a method.
_MOST_ASKED = 100


class PlanScripts(Struct):
    """A plan with the script of each stage, and the commands that remove what its stages share."""

    plan: Plan
    scripts: Mapping[str, StageScriptParts]
    teardown: tuple[Command, ...]


class NamedJob(Struct):
    """A job with its plan, its script, and the name of its stage in the file.

    It *is_pinned* to the one agent of all stages that share images or containers.
    """

    name: str
    plan: Plan
    job: Job
    script: StageScriptParts
    is_pinned: bool


class ScriptedPlans(Struct, kw_only=True):
    """All of a file's plans.

    *checkouts* names the function by which each pipeline checks out; *is_conditional* says that it is decided at run
    time which pipelines run; *ends* gives each pipeline with finally stages a name for what these come after.
    """

    scripts: tuple[PlanScripts, ...]
    named: tuple[NamedJob, ...]
    settings: JenkinsSettings
    checkouts: Mapping[str, str]
    is_conditional: bool
    ends: Mapping[str, str]

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans alone."""
        return tuple(one.plan for one in self.scripts)

    def selected(self, *pipelines: str) -> model.Selected:
        """Return the condition that one of *pipelines* runs; of a great many, one does."""
        return model.Selected(pipelines if self.is_conditional and len(pipelines) <= _MOST_ASKED else ())

    def with_workspace(self, workspace: Workspace) -> tuple[PlanScripts, ...]:
        """Return the plans whose stages see of each other what *workspace* says."""
        return tuple(one for one in self.scripts if one.plan.workspace is workspace)


def named_jobs(scripts: Sequence[PlanScripts], settings: JenkinsSettings) -> tuple[NamedJob, ...]:
    """Return the jobs of all plans in the order of the config, but each after those that it comes after.

    Finally stages are the last of their pipeline.
    """
    shown = display_names([one.plan for one in scripts])
    return tuple(
        NamedJob(shown[one.plan.name, job.stage], one.plan, job, one.scripts[job.stage], job.stage in on_one_agent)
        for one in scripts
        for on_one_agent in (pinned(one.plan, settings),)
        for job in _in_order(one.plan)
    )


def _in_order(plan: Plan) -> Iterator[Job]:
    jobs = [*(job for job in plan.jobs if not job.is_final), *(job for job in plan.jobs if job.is_final)]
    places = {job.stage: place for place, job in enumerate(jobs)}
    return (jobs[place] for place in finish_order([[places[need] for need in job.needs] for job in jobs]))


_DAEMON_NAMES = frozenset({"imageID", "imageLocalName", "container"})


def pinned(plan: Plan, settings: JenkinsSettings) -> frozenset[str]:
    """Return the stages of *plan* that need the container engine of others, or whose own others need."""
    if settings.images is not Images.LOCAL or plan.workspace is Workspace.SHARED:
        return frozenset()
    sharing = {job.stage for job in plan.jobs if job.shared.needs_daemon}
    if not sharing:
        return frozenset()
    return frozenset(job.stage for job in plan.jobs if job.stage in sharing or not sharing.isdisjoint(_producers(job)))


def _producers(job: Job) -> set[str]:
    """Return the stages whose images or containers *job* uses."""
    return {*[output.stage for output in job.inputs if output.name in _DAEMON_NAMES], *job.containers}
