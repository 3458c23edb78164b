"""The variables that a script finds on a Jenkins agent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipegen.bindings.expression import Scope
from pipegen.plan.model import Output, Plan, Workspace
from pipegen.plan.model.steps import is_variable_name
from pipegen.plan.model.texts import engine_texts
from pipegen.shell.host import Images, Login, ShellEnvironment, plan_value
from pipegen.targets.constants import READ_BY_SHELLS
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.scripts.inputs import input_variable
from pipegen.targets.jenkins.stages.scripts.setup import LABELS, setup_value
from pipegen.targets.jenkins.stages.scripts.statuses import variable

# Outside the checkout, so not in a build context; Jenkins creates such a folder for each workspace.
SHARED_VALUES = "$WORKSPACE_TMP/pipegen"
# Each is set at the start: to a variable of the Jenkins server, else to the setting.
REGISTRY = "PIPEGEN_REGISTRY"
REPOSITORY = "PIPEGEN_REPOSITORY"
NAMESPACE = "PIPEGEN_NAMESPACE"
CHARTS = "PIPEGEN_CHARTS"
FRONTEND = "PIPEGEN_FRONTEND"
REGISTRY_USERNAME = "PIPEGEN_REGISTRY_USERNAME"
REGISTRY_PASSWORD = "PIPEGEN_REGISTRY_PASSWORD"  # noqa: S105 - the name of a variable


# https://www.jenkins.io/doc/book/pipeline/jenkinsfile/#using-environment-variables, and what git, the container program
# and the shell read.
_READ_BY_ENGINE = (
    r"(?:BASH|CHANGE|DOCKER|GIT|HUDSON|JENKINS|JOB|LC|LD|PIPEGEN|SSH|SSL|SVN|WORKSPACE)(?:_.*)?"
    r"|BRANCH_(?:IS_PRIMARY|NAME)|BUILD_(?:DISPLAY_NAME|ID|NUMBER|TAG|URL)|EXECUTOR_NUMBER|NODE_(?:LABELS|NAME)"
    r"|RUN_.*DISPLAY_URL|STAGE_NAME|TAG_(?:DATE|NAME|TIMESTAMP|UNIXTIME)"
    rf"|{READ_BY_SHELLS}"
)
# The left side of an assignment in `environment` is Groovy: it cannot be a keyword, nor a class that every script
# imports, such as java.net.URL. All classes of these packages begin with a capital letter (tried with Jenkins 2.479).
_KEYWORDS = frozenset(
    (  # noqa: SIM905
        "as assert boolean break byte case catch char class const continue def default do double else enum extends "
        "false final finally float for goto if implements import in instanceof int interface long native new null "
        "package private protected public return short static strictfp super switch synchronized this threadsafe "
        "throw throws trait transient true try void volatile while"
    ).split()
)
_CLASS = re.compile(r"[A-Z][A-Z0-9]*[a-z][A-Za-z0-9]*|IDN|JDK|RSS|URI|URL|UUID")


def is_free_name(name: str) -> bool:
    """Return whether Jenkins can set the variable *name* for a stage: nothing but its script reads it."""
    return is_variable_name(name) and re.fullmatch(_READ_BY_ENGINE, name) is None


def is_assignable(name: str) -> bool:
    """Return whether `environment` of a declarative file can set the variable *name*."""
    return name not in _KEYWORDS and _CLASS.fullmatch(name) is None


def host(plan: Plan, settings: JenkinsSettings) -> ShellEnvironment:
    """Return the environment of the scripts of *plan*."""
    is_local = settings.images is Images.LOCAL
    return ShellEnvironment(
        # BUILD_ID is the same for all stages of a build, and for all attempts of a stage.
        job_id="$(od -An -N6 -tx1 /dev/urandom | tr -d ' \\n')",
        run_id="$PIPEGEN_RUN",
        setup=lambda name: _setup(name, plan),
        input=lambda name: f"${input_variable(name)}",
        labels=LABELS,
        values=SHARED_VALUES if plan.workspace is Workspace.SHARED else None,
        images=settings.images,
        shares_daemon=is_local or plan.workspace is Workspace.SHARED,
        image_repository=f"${REGISTRY}/${REPOSITORY}/pipegen",
        # A build that is restarted from a stage has another number, so images in a registry keep their ID.
        names_images=is_local,
        login=_login(settings),
        registry=f"${REGISTRY}",
        repository=f"${REPOSITORY}",
        namespace=f"${NAMESPACE}",
        charts=f"${CHARTS}",
        frontend=f"${FRONTEND}",
        promote_repository=settings.promote.repository,
        promote_branch=settings.promote.branch,
        promote_credential=settings.promote.bound(plan.span),
        archives_folders=True,
        file_url="${BUILD_URL:-}artifact/",
        folder_url="${BUILD_URL:-}artifact/",
        credential=lambda _: (),
        status=lambda slug: f"${variable(slug)}",
        # "Illegal choice for parameter" is the answer to any other value.
        checks_choices=False,
        keeps_order=True,
        after_values="$WORKSPACE_TMP/pipegen-after",
        engine_reads=frozenset(_outputs_in_groovy(plan)),
        bash=("#!/usr/bin/env bash", "set -exo pipefail"),
    )


def _outputs_in_groovy(plan: Plan) -> Iterator[Output]:
    """Yield the outputs that Jenkins itself reads, for mails and steps of plugins."""
    for job in plan.jobs:
        for text in engine_texts(job.mail, job.plugin_steps):
            for reference in text.references():
                if reference.scope in (Scope.STAGE, Scope.OWN):
                    yield Output(reference.namespace or "", reference.name)


def _setup(name: str, plan: Plan) -> str | None:
    value = setup_value(name)
    return value.shell if value is not None else plan_value(name, plan, LABELS)


def _login(settings: JenkinsSettings) -> Login | None:
    if not settings.registry_credential:
        return None
    return Login(f"${REGISTRY}", f"${REGISTRY_USERNAME}", f"${REGISTRY_PASSWORD}")
