"""What one stage of a pipeline does, put together from its keys."""

from __future__ import annotations

from posixpath import normpath

from pipegen.config.model import PipelineConfig, StageConfig
from pipegen.plan.absence import Absence
from pipegen.plan.files.readers import artifacts as step_artifacts
from pipegen.plan.forwarding import Forwarded
from pipegen.plan.model import Artifact, Case, Condition, Limits, Line, Machine, Mail, Output, StageFetch, Step
from pipegen.plan.model.texts import outputs_in, stage_texts
from pipegen.plan.stage.checks import check_directory
from pipegen.plan.stage.commands import post_commands
from pipegen.plan.stage.conditions.cases import cases
from pipegen.plan.stage.fetch import fetch
from pipegen.plan.stage.limits import check_mail, limits, with_interruptible
from pipegen.plan.stage.machine.images import check_image
from pipegen.plan.stage.machine.machine import check_tools, machine
from pipegen.plan.stage.mail import check_webhook, mail
from pipegen.plan.stage.secrets import StageSecrets, secrets
from pipegen.plan.stage.settings import StageSettings, stage_settings
from pipegen.plan.stage.steps import steps
from pipegen.plan.values import StageValues
from pipegen.structs import Struct


class StagePlan(Struct, kw_only=True):
    """What one stage does in *directory*, before the needs of other stages are known.

    *inputs* are the outputs of other stages that it uses; *reads* are the ones that the user's values name.
    """

    stage: StageConfig
    directory: str
    fetch: StageFetch | None
    steps: tuple[Step, ...]
    mail: Mail | None
    forwarded: Forwarded
    settings: StageSettings
    machine: Machine
    secrets: StageSecrets
    after: tuple[Line, ...]
    inputs: tuple[Output, ...]
    reads: tuple[Output, ...]
    limits: Limits
    statuses: tuple[str, ...]
    cases: tuple[Case, ...]
    condition: Condition | None

    def files(self) -> tuple[Artifact, ...]:
        """Return the artifacts for other stages: declared ones, and files that the steps copy."""
        files = {artifact.path: artifact for artifact in step_artifacts(self.steps, self.directory)}
        for artifact in self.settings.files.artifacts:
            if artifact.travels:
                files[artifact.path] = artifact
        return tuple(files.values())

    def only_for_people(self) -> tuple[Artifact, ...]:
        """Return the files that only people get."""
        return tuple([artifact for artifact in self.settings.files.artifacts if not artifact.travels])


def stage_plan(stage: StageConfig, pipeline: PipelineConfig, start: StageValues, absence: Absence) -> StagePlan:
    """Return what *stage* does; its keys read *start*, its values before the first step, at the moment of their use."""
    name, report = stage.name.value, start.report
    check_directory(stage.directory, report)
    directory = _directory(stage, pipeline)
    stage_machine = machine(stage, directory, start)
    stage_steps, end = steps(stage, pipeline, start, is_certain=absence.is_certain(name))
    settings = stage_settings(stage, directory, end)
    bounds = limits(stage, settings.deployment.approval, start)
    check_tools(stage, stage_steps, stage_machine.pod, report)
    stage_steps = (*stage_steps, *settings.files.at_run_time)
    absence.check_resources(name, stage_steps, report)
    check_image(stage, stage_steps, report)
    stage_cases = cases(stage, stage_steps, start)
    after, stage_mail = post_commands(stage, stage_steps, end), _mail(stage, pipeline, end, bounds)
    environment = settings.deployment.environment
    texts = stage_texts(
        name, stage_steps, stage_cases, after, stage_machine, environment, stage_mail, settings.plugin_steps
    )
    return StagePlan(
        stage=stage,
        directory=directory,
        fetch=fetch(stage, pipeline, directory, stage_steps, report),
        steps=stage_steps,
        forwarded=end.known.own,
        settings=settings,
        machine=stage_machine,
        secrets=secrets(stage, stage_steps, report),
        after=after,
        mail=stage_mail,
        inputs=outputs_in(texts, name),
        reads=start.mentions.outputs(),
        limits=with_interruptible(bounds, stage),
        statuses=tuple(start.mentions.statuses),
        cases=stage_cases,
        condition=absence.conditions.get(name),
    )


def _directory(stage: StageConfig, pipeline: PipelineConfig) -> str:
    """Return where *stage* runs, relative to the root of the repository."""
    directory = stage.directory or pipeline.directory
    return normpath(directory.value) if directory else "."


def _mail(stage: StageConfig, pipeline: PipelineConfig, values: StageValues, bounds: Limits) -> Mail | None:
    """Return the mail for *stage*; None if all its failures are allowed."""
    stage_mail = mail(stage, pipeline, values)
    check_webhook(stage, values.report)
    check_mail(stage, bounds.allow_failure, values.report)
    return None if bounds.allow_failure is not None and bounds.allow_failure.is_certain else stage_mail
