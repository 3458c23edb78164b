"""The environment variables and functions that a Jenkinsfile needs, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipegen.bindings.expression import Items, Loop, Reference, Scope, Text
from pipegen.plan.model import Build, Mail, Plan, Selection, Shared
from pipegen.targets.jenkins import model
from pipegen.targets.jenkins.names import NamedJob
from pipegen.targets.jenkins.setup import Source, parameter, setup_value

_LABELLED = "imageLabels"
_RUN = model.Variable("PIPEGEN_RUN", '"${currentBuild.startTimeInMillis}-${env.BUILD_NUMBER}"')


def used_setup(named: Sequence[NamedJob]) -> tuple[str, ...]:
    """Return the setup names that scripts, labels of images and mails use, in order of first use."""
    used: dict[str, None] = {}
    for one in named:
        used |= dict.fromkeys(one.script.setup)
        if any(isinstance(step, Build) for step in one.job.steps):
            used["project"] = None
        if one.job.mail is not None:
            used |= dict.fromkeys(_setup_names(one.job.mail))
    if _LABELLED in used:
        used["project"] = None
    return tuple(used)


def start_variables(named: Sequence[NamedJob], used: Sequence[str]) -> tuple[model.Variable, ...]:
    """Return what is set before the first stage."""
    found = [_RUN] if any(_outlives(one.job.shared) for one in named) else []
    for name in used:
        value = setup_value(name)
        if value is not None and value.source is Source.START:
            found.append(model.Variable(value.variable, value.code))
    return tuple(found)


def checkout_variables(used: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return what the first checkout sets beside the commit: our variable, and the name that `checkout` has for it."""
    values = (setup_value(name) for name in used if name != "commit")
    return tuple((value.variable, value.code) for value in values if value and value.source is Source.CHECKOUT)


def parameters(used: Sequence[str]) -> tuple[str, ...]:
    """Return the build parameters that are read."""
    return tuple(name for name in map(parameter, used) if name is not None)


def selection(plans: Sequence[Plan]) -> model.Selection:
    """Return the pipelines of the file and which of them must be asked for."""
    return model.Selection(
        tuple(plan.name for plan in plans),
        tuple(plan.name for plan in plans if plan.selection is Selection.ON_DEMAND),
    )


def _outlives(shared: Shared) -> bool:
    return shared.image or shared.container or shared.release


def _setup_names(mail: Mail) -> Iterator[str]:
    for reference in (*_references(mail.to), *mail.subject.references(), *mail.body.references()):
        if reference.scope is Scope.SETUP:
            yield reference.name


def _references(items: Items[Text]) -> Iterator[Reference]:
    for item in items:
        body: Text | Loop[Text] = item
        while isinstance(body, Loop):
            yield from body.source.references()
            body = body.body
        yield from body.references()
