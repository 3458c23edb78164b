"""The input of a Jenkinsfile: plans with the scripts of their stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipegen.graph.walk import finish_order
from pipegen.plan.model import Job, Plan, PublishImage, RunContainer, Workspace
from pipegen.shell.host import Images
from pipegen.shell.script import Command, StageScriptParts
from pipegen.structs import Struct
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.checkouts import Checkouts
from pipegen.targets.jenkins.names import display_names
from pipegen.targets.jenkins.settings import JenkinsSettings

# A condition with more parts is too large for a method.
_MOST_SELECTED = 100


class PlanScripts(Struct):
    """A plan with the script and the variables of each stage, and the commands that remove shared resources.

    The values of variables in *statuses* are the statuses of stages, "" for that of the pipeline.
    """

    plan: Plan
    scripts: Mapping[str, StageScriptParts]
    variables: Mapping[str, tuple[tuple[str, str], ...]]
    teardown: tuple[Command, ...]
    statuses: Mapping[str, tuple[tuple[str, str], ...]]


class NamedJob(Struct):
    """A job with its plan, its script, and the name of its stage in the file.

    *variables* are the names and values that Jenkins sets for the script, *statuses* those with the status of a stage.
    With *is_pinned*, it runs on the one agent of all stages that share images or containers; *pins* are these jobs,
    itself among them, if it takes the agent for all.
    """

    name: str
    plan: Plan
    job: Job
    script: StageScriptParts
    variables: tuple[tuple[str, str], ...]
    is_pinned: bool
    pins: tuple[Job, ...]
    statuses: tuple[tuple[str, str], ...]

    @property
    def key(self) -> tuple[str, str]:
        """The names of the pipeline and of the stage in the config; no other job has both."""
        return self.plan.name, self.job.stage


def names_by_key(named: Iterable[NamedJob]) -> dict[tuple[str, str], str]:
    """Return the names of the *named* jobs in the file, by their keys."""
    return {named_job.key: named_job.name for named_job in named}


class ScriptedPlans(Struct, kw_only=True):
    """All plans of a file.

    *checkouts* has the checkout functions; *is_conditional* is whether each build decides which of them run;
    *ends* is the name of the end of each pipeline with finally stages.
    """

    scripts: tuple[PlanScripts, ...]
    named: tuple[NamedJob, ...]
    settings: JenkinsSettings
    checkouts: Checkouts
    is_conditional: bool
    ends: Mapping[str, str]

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans without scripts."""
        return tuple(script.plan for script in self.scripts)

    @property
    def final(self) -> tuple[NamedJob, ...]:
        """The jobs that run after all others of their pipeline, whatever happened."""
        return tuple(named for named in self.named if named.job.is_final)

    def selected(self, *pipelines: str) -> model.Selected:
        """Return the condition that one of *pipelines* is selected; always true for very many pipelines."""
        is_tested = self.is_conditional and len(pipelines) <= _MOST_SELECTED
        return model.Selected(pipelines, is_alone=len(self.scripts) == 1) if is_tested else model.Selected()

    def with_workspace(self, workspace: Workspace) -> tuple[PlanScripts, ...]:
        """Return the plans with this kind of *workspace*."""
        return tuple(script for script in self.scripts if script.plan.workspace is workspace)


def named_jobs(scripts: Sequence[PlanScripts], settings: JenkinsSettings) -> tuple[NamedJob, ...]:
    """Return the jobs of all plans in the order of the config, but each after its predecessors.

    Finally stages are the last of their pipeline.
    """
    names = display_names([script.plan for script in scripts])
    on_one_agent = {script.plan.name: pinned(script.plan, settings) for script in scripts}
    pins = _pins([script.plan for script in scripts if on_one_agent[script.plan.name]], on_one_agent)
    return tuple(
        NamedJob(
            name=names[script.plan.name, job.stage],
            plan=script.plan,
            job=job,
            script=script.scripts[job.stage],
            variables=script.variables.get(job.stage, ()),
            is_pinned=job.stage in on_one_agent[script.plan.name],
            pins=pins.get((script.plan.name, job.stage), ()),
            statuses=script.statuses.get(job.stage, ()),
        )
        for script in scripts
        for job in _in_order(script.plan)
    )


def _in_order(plan: Plan) -> Iterator[Job]:
    jobs = [*(job for job in plan.jobs if not job.is_final), *(job for job in plan.jobs if job.is_final)]
    indexes = {job.stage: index for index, job in enumerate(jobs)}
    return (jobs[index] for index in finish_order([[indexes[need] for need in job.needs] for job in jobs]))


_DAEMON_NAMES = frozenset({"imageID", "imageLocalName", "container"})


def pinned(plan: Plan, settings: JenkinsSettings) -> frozenset[str]:
    """Return the stages of *plan* that use the container engine of others, or whose own others use."""
    if settings.images is not Images.LOCAL or plan.workspace is Workspace.SHARED:
        return frozenset()
    sharing = {job.stage for job in plan.jobs if job.shared.needs_daemon}
    if not sharing:
        return frozenset()
    return frozenset(job.stage for job in plan.jobs if job.stage in sharing or not sharing.isdisjoint(_producers(job)))


def _pins(
    plans: Sequence[Plan], on_one_agent: Mapping[str, frozenset[str]]
) -> Mapping[tuple[str, str], tuple[Job, ...]]:
    """Return the jobs of *on_one_agent* by the plan and the stage that takes the agent for all of them, if one can.

    That stage always runs before all others that share images or containers, and these do not run once it has failed.
    """
    if len(plans) != 1:
        return {}
    (plan,) = plans
    in_order = tuple(_in_order(plan))
    jobs = tuple(job for job in in_order if job.stage in on_one_agent[plan.name])
    first = jobs[0]
    approval = first.deployment.approval
    may_be_skipped = first.condition is not None or (approval is not None and approval.is_optional)
    if may_be_skipped or first.limits.allow_failure is not None:
        return {}
    later = {first.stage}
    for job in in_order:
        if not later.isdisjoint(job.needs):
            later.add(job.stage)
    return {(plan.name, first.stage): jobs} if on_one_agent[plan.name] <= later else {}


def _producers(job: Job) -> set[str]:
    """Return the stages whose images or containers *job* uses."""
    images = [step.image.producer for step in job.steps if isinstance(step, RunContainer | PublishImage)]
    outputs = [output.stage for output in job.inputs if output.name in _DAEMON_NAMES]
    return {*outputs, *job.containers, *(stage for stage in images if stage not in (None, job.stage))}
