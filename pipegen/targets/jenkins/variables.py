"""The environment variables and functions that a Jenkinsfile needs, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Items, Loop, Reference, Scope, Text
from pipegen.plan.model import Build, Machine, Mail
from pipegen.shell.command import Command
from pipegen.shell.prelude import is_used
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.host import CHARTS, FRONTEND, NAMESPACE, REGISTRY, REPOSITORY
from pipegen.targets.jenkins.inputs import input_variables
from pipegen.targets.jenkins.setup import Source, setup_value
from pipegen.targets.jenkins.work import NamedJob, Work

_LABELLED = "imageLabels"
_RUN = model.Variable("PIPEGEN_RUN", model.Code('"${currentBuild.startTimeInMillis}-${env.BUILD_NUMBER}"'))


def used_setup(named: Sequence[NamedJob]) -> tuple[str, ...]:
    """Return the setup names that scripts, labels of images and mails use, in order of first use."""
    used: dict[str, None] = {}
    for one in named:
        used |= dict.fromkeys(one.script.setup)
        if any(isinstance(step, Build) for step in one.job.steps):
            used["project"] = None
        if one.job.mail is not None:
            used |= dict.fromkeys(_setup_names(one.job.mail))
        for cache in one.job.caches:
            used |= dict.fromkeys(found.name for found in cache.key.references() if found.scope is Scope.SETUP)
        used |= dict.fromkeys(_names_in_images(one.job.machine))
    if _LABELLED in used:
        used["project"] = None
    return tuple(used)


def start_variables(work: Work, used: Sequence[str]) -> tuple[model.Variable, ...]:
    """Return what is set before the first stage."""
    found = [_RUN] if is_used(_RUN.name, _commands(work)) else []
    found += _settings(work)
    for name in used:
        value = setup_value(name)
        if value is not None and value.source is Source.START:
            found.append(model.Variable(value.variable, model.Code(value.code)))
    inputs = dict.fromkeys(name for one in work.named for name in one.script.inputs)
    return (*found, *input_variables(work.plans, tuple(inputs)))


def _settings(work: Work) -> Iterator[model.Variable]:
    """Yield the settings that scripts use; a variable of the same name on this Jenkins overrides each."""
    known = {
        REGISTRY: work.settings.registry,
        REPOSITORY: work.settings.repository,
        NAMESPACE: work.settings.namespace,
        CHARTS: work.settings.charts,
        FRONTEND: work.settings.frontend,
    }
    commands = _commands(work)
    lines = "\n".join(line for command in commands for line in command.lines)
    for name, text in known.items():
        # Most files name none of them, which is seen at once.
        if name in lines and is_used(name, commands):
            yield model.Variable(name, model.Call("setting", (name, text)))


def checkout_variables(used: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return what the first checkout sets beside the commit: our variable, and the name that `checkout` has for it."""
    values = (setup_value(name) for name in used if name != "commit")
    return tuple((value.variable, value.code) for value in values if value and value.source is Source.CHECKOUT)


def _commands(work: Work) -> list[Command]:
    """Return all commands that the file runs."""
    commands = [command for one in work.named for command in one.script.commands]
    return commands + [command for one in work.scripts for command in one.teardown]


def _setup_names(mail: Mail) -> Iterator[str]:
    for reference in (*_references(mail.to), *mail.subject.references(), *mail.body.references()):
        if reference.scope is Scope.SETUP:
            yield reference.name


def _names_in_images(where: Machine) -> Iterator[str]:
    names = (*((where.image.name,) if where.image is not None else ()), *(service.image for service in where.services))
    return (reference.name for name in names for reference in name.references() if reference.scope is Scope.SETUP)


def _references(items: Items[Text]) -> Iterator[Reference]:
    for item in items:
        body: Text | Loop[Text] = item
        while isinstance(body, Loop):
            yield from body.source.references()
            body = body.body
        yield from body.references()
