"""The environment variables and functions that a Jenkinsfile needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from pipegen.emit.groovy import literal
from pipegen.plan.model import BuildImage, TriggerJob
from pipegen.plan.model.texts import engine_texts, path_texts, setup_names
from pipegen.shell.command import Command
from pipegen.shell.prelude import is_expanded, own_text
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.named_jobs import NamedJob, ScriptedPlans
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.scripts.inputs import input_variables
from pipegen.targets.jenkins.stages.scripts.setup import Source, setup_value
from pipegen.targets.jenkins.stages.scripts.shell_variables import CHARTS, FRONTEND, NAMESPACE, REGISTRY, REPOSITORY

_LABELLED = "imageLabels"
_PROJECT = "project"
# `setup.projectShortName`, if the variable before it has the project.
_LAST_OF_PROJECT = "\"${env.PIPEGEN_PROJECT.tokenize('/').last()}\""
_ASSIGNED = re.compile(r"\benv(?:\.|\[['\"])(\w+)(?:['\"]\])?\s*[+-]?=(?![=~])")
_RUN = model.EnvironmentVariable(
    "PIPEGEN_RUN", model.GroovyCode('"${currentBuild.startTimeInMillis}-${env.BUILD_NUMBER}"')
)


def used_setup(named: Sequence[NamedJob]) -> tuple[str, ...]:
    """Return the setup names that scripts, image labels and mails use, in order of first use."""
    used: dict[str, None] = {}
    for named_job in named:
        job = named_job.job
        if named_job.script.setup:
            used |= dict.fromkeys(named_job.script.setup)
        if BuildImage in map(type, job.steps):
            used[_PROJECT] = None
        texts = engine_texts(job.mail, job.plugin_steps) + path_texts(job)
        texts += [cache.key for cache in job.caches]
        texts += [text for step in job.steps if isinstance(step, TriggerJob) for _, text in step.parameters]
        if texts := texts + job.machine.image_names:
            used |= dict.fromkeys(setup_names(texts))
    if _LABELLED in used:
        used[_PROJECT] = None
    return tuple(used)


def skips_checkout(named: NamedJob) -> bool:
    """Return whether a stage runs without the repository; not if it reads setup values that a checkout sets."""
    if named.job.fetch is None or not named.job.fetch.is_skipped:
        return False
    values = map(setup_value, used_setup((named,)))
    return not any(value is not None and value.source is Source.CHECKOUT for value in values)


def start_variables(work: ScriptedPlans, used: Sequence[str]) -> tuple[model.EnvironmentVariable, ...]:
    """Return the variables that are set before the first stage."""
    text = own_text(_commands(work))
    variables = [_RUN] if is_expanded(_RUN.name, text) else []
    variables += _settings(work.settings, text)
    has_project = _PROJECT in used
    for name in sorted(used, key=lambda name: name != _PROJECT):
        value = setup_value(name)
        if value is not None and value.source is Source.START:
            code = _LAST_OF_PROJECT if has_project and name == "projectShortName" else value.code
            variables.append(model.EnvironmentVariable(value.variable, model.GroovyCode(code)))
    inputs = dict.fromkeys(name for named_job in work.named for name in named_job.script.inputs)
    return (*variables, *input_variables(work.plans, tuple(inputs)))


def common_variables(named: Sequence[NamedJob], settings: JenkinsSettings) -> tuple[model.EnvironmentVariable, ...]:
    """Return the variables with one value that Jenkins sets for each script; those of webhooks get them, too.

    Each stage has its own of those that Groovy of the user sets: such an assignment changes no variable of a block.
    """
    calls = [call for job in named if job.job.plugin_steps is not None for call in job.job.plugin_steps.calls]
    assigned = {*_ASSIGNED.findall("\n".join((settings.definitions, *(call.text for call in calls))))}
    first, *others = [job.variables for job in named if not (job.script.is_empty or job.job.posts)] or [()]
    return tuple(
        model.EnvironmentVariable(name, value)
        for name, value in first
        if name not in assigned and all((name, value) in variables for variables in others)
    )


def _settings(settings: JenkinsSettings, text: str) -> Iterator[model.EnvironmentVariable]:
    """Yield the *settings* that *text* uses; a variable of the same name on the Jenkins server overrides each."""
    values = {
        REGISTRY: settings.registry,
        REPOSITORY: settings.repository,
        NAMESPACE: settings.namespace,
        CHARTS: settings.charts,
        FRONTEND: settings.frontend,
    }
    for name, value in values.items():
        if is_expanded(name, text):
            yield model.EnvironmentVariable(name, model.GroovyCode(f'"${{env.{name} ?: {literal(value)}}}"'))


def checkout_variables(used: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the variables that the first checkout sets besides the commit, with the code after its result."""
    values = (setup_value(name) for name in used if name != "commit")
    return tuple(
        (value.variable, f"{value.code} ?: ''" if value.may_be_empty else value.code)
        for value in values
        if value and value.source is Source.CHECKOUT
    )


def _commands(work: ScriptedPlans) -> Iterator[Command]:
    """Return all commands that the file runs."""
    return chain(
        *[named_job.script.commands for named_job in work.named], *[script.teardown for script in work.scripts]
    )
