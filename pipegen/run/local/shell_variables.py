"""The variables of scripts in local runs, as shell text, and their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from pipegen.bindings.expression import evaluate
from pipegen.plan.model import (
    Artifact,
    Coverage,
    Input,
    Job,
    Plan,
    ReportPath,
    Retention,
    Workspace,
)
from pipegen.plan.model.retention import path_text
from pipegen.plan.model.texts import path_texts
from pipegen.plan.rewriting import rewritten
from pipegen.run.local.conditions import RunContext
from pipegen.shell import defaults
from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images, Login, ShellEnvironment, plan_value
from pipegen.shell.names import variable_part
from pipegen.structs import Struct, replace

RUN = "PIPEGEN_RUN"
JOB_ID = "PIPEGEN_JOB_ID"
VALUES = "PIPEGEN_VALUES"
AFTER_VALUES = "PIPEGEN_AFTER_VALUES"
LOG_URL = "PIPEGEN_LOG_URL"
FILES_URL = "PIPEGEN_FILES_URL"
REGISTRY_USERNAME = "PIPEGEN_REGISTRY_USERNAME"
REGISTRY_PASSWORD = "PIPEGEN_REGISTRY_PASSWORD"  # noqa: S105 - the name of a variable

_SETUP = {
    "project": "PIPEGEN_PROJECT",
    "projectShortName": "PIPEGEN_PROJECT_SHORT_NAME",
    "timestamp": "PIPEGEN_TIMESTAMP",
    "commit": "PIPEGEN_COMMIT",
    "branch": "PIPEGEN_BRANCH",
    "remote": "PIPEGEN_REMOTE",
    "tag": "PIPEGEN_TAG",
    "shortCommit": "PIPEGEN_SHORT_COMMIT",
    "defaultBranch": "PIPEGEN_DEFAULT_BRANCH",
    "changeRequest": "PIPEGEN_CHANGE_REQUEST",
    "sourceBranch": "PIPEGEN_SOURCE_BRANCH",
    "targetBranch": "PIPEGEN_TARGET_BRANCH",
    "event": "PIPEGEN_EVENT",
    "actor": "PIPEGEN_ACTOR",
    "run": "PIPEGEN_NUMBER",
    "logURL": LOG_URL,
    "httpProxy": "PIPEGEN_HTTP_PROXY",
    "GIT_COMMIT": "PIPEGEN_COMMIT",
    "GIT_BRANCH": "PIPEGEN_BRANCH",
    "GIT_LOCAL_BRANCH": "PIPEGEN_BRANCH",
    "GIT_URL": "PIPEGEN_REMOTE",
}
# The length of a short commit, as on GitLab.
_SHORT = 8
_PARAMETER = re.compile(r"params\.([A-Za-z_][A-Za-z0-9_]*)")
_LABELS = (("ci.project", f"${_SETUP['project']}"), ("ci.job", f"${LOG_URL}"))
# The destinations of images, charts and new versions, with the defaults of every target.
_PLACES = {
    "PIPEGEN_REGISTRY": defaults.REGISTRY,
    "PIPEGEN_REPOSITORY": defaults.REPOSITORY,
    "PIPEGEN_NAMESPACE": defaults.NAMESPACE,
    "PIPEGEN_CHARTS": defaults.CHARTS,
    "PIPEGEN_FRONTEND": defaults.FRONTEND,
    "PIPEGEN_PROMOTE_REPOSITORY": defaults.PROMOTE_REPOSITORY,
    "PIPEGEN_PROMOTE_BRANCH": defaults.PROMOTE_BRANCH,
}


def host(plan: Plan, environment: Mapping[str, str], *, is_isolated: bool = False) -> ShellEnvironment:
    """Return the shell environment of the scripts of *plan*; *environment* holds the user's variables.

    If the run *is_isolated*, values are passed in the checkouts, as on an engine.
    """
    has_own_tree = is_isolated and plan.workspace is Workspace.ISOLATED
    has_login = bool(environment.get(REGISTRY_USERNAME) and environment.get(REGISTRY_PASSWORD))
    return ShellEnvironment(
        job_id=f"${JOB_ID}",
        run_id=f"${RUN}",
        setup=lambda name: _setup(name, plan),
        input=lambda name: f"${input_variable(name)}",
        labels=_LABELS,
        values=None if has_own_tree else f"${VALUES}",
        images=Images.LOCAL,
        shares_daemon=True,
        image_repository="$PIPEGEN_REGISTRY/$PIPEGEN_REPOSITORY/pipegen",
        login=Login("$PIPEGEN_REGISTRY", f"${REGISTRY_USERNAME}", f"${REGISTRY_PASSWORD}") if has_login else None,
        registry="$PIPEGEN_REGISTRY",
        repository="$PIPEGEN_REPOSITORY",
        namespace="$PIPEGEN_NAMESPACE",
        charts="$PIPEGEN_CHARTS",
        frontend="$PIPEGEN_FRONTEND",
        promote_repository="$PIPEGEN_PROMOTE_REPOSITORY",
        promote_branch="$PIPEGEN_PROMOTE_BRANCH",
        promote_credential=PromoteSettings(repository=places(environment)["PIPEGEN_PROMOTE_REPOSITORY"]).bound(
            plan.span
        ),
        archives_folders=False,
        file_url=f"${FILES_URL}/",
        folder_url=f"${FILES_URL}/",
        credential=lambda _: (),
        status=lambda slug: f"${status_variable(slug)}",
        after_values=f"${AFTER_VALUES}",
        marks_commands=True,
        keeps_lines=True,
        bash=("set -o pipefail",),
    )


def input_variable(name: str) -> str:
    """Return the variable that scripts read the input *name* from."""
    return f"PIPEGEN_INPUT_{name}"


def status_variable(slug: str) -> str:
    """Return the variable for the status of the stage with that *slug*; "" is the pipeline."""
    return f"PIPEGEN_STATUS_{variable_part(slug)}" if slug else "PIPEGEN_STATUS"


def places(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables with the destinations of images, charts and new versions."""
    return {name: environment.get(name) or default for name, default in _PLACES.items()}


def input_values(inputs: Iterable[Input]) -> dict[str, str]:
    """Return the variables for *inputs*, with their defaults."""
    return {input_variable(input_.name): input_.default or "" for input_ in inputs}


class _RunValues(Struct):
    """What setup values depend on; *started* is in UTC."""

    context: RunContext
    started: datetime
    environment: Mapping[str, str]

    def variable(self, *names: str) -> str:
        """Return the first variable among *names* that is set, or ""."""
        return next((value for name in names if (value := self.environment.get(name))), "")


_VALUES: Mapping[str, Callable[[_RunValues], str]] = {
    "project": lambda run: run.context.checkout.project,
    "projectShortName": lambda run: run.context.checkout.project.rpartition("/")[2],
    "timestamp": lambda run: f"{run.started:%Y-%m-%d-%H%M%S}",
    **dict.fromkeys(("commit", "GIT_COMMIT"), lambda run: run.context.checkout.commit),
    "shortCommit": lambda run: run.context.checkout.commit[:_SHORT],
    **dict.fromkeys(("branch", "GIT_BRANCH", "GIT_LOCAL_BRANCH"), lambda run: run.context.event.branch),
    "defaultBranch": lambda run: run.context.checkout.default_branch,
    **dict.fromkeys(("remote", "GIT_URL"), lambda run: run.context.checkout.remote),
    "tag": lambda run: run.context.event.tag,
    **dict.fromkeys(("changeRequest", "sourceBranch", "targetBranch"), lambda _: ""),
    "event": lambda run: run.context.event.kind.value,
    "actor": lambda run: run.variable("USER", "LOGNAME"),
    "run": lambda _: "0",
    "httpProxy": lambda run: run.variable("http_proxy", "HTTP_PROXY"),
}


def label_names(scripts: Iterable[str]) -> tuple[str, ...]:
    """Return the setup names that the labels of images in *scripts* read."""
    return ("project",) if any(_SETUP["project"] in script for script in scripts) else ()


def setup_values(
    names: Iterable[str], context: RunContext, started: datetime, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables for the setup *names*; git is called only for these. *started* is in UTC."""
    run = _RunValues(context, started, environment)
    return {_SETUP[name]: _VALUES[name](run) for name in dict.fromkeys(names) if name in _VALUES}


def with_paths(job: Job, context: RunContext, started: datetime) -> Job:
    """Return *job* with the values of this run in the paths of its artifacts and reports."""
    if not path_texts(job):
        return job
    run = _RunValues(context, started, {})

    def filled(path: str) -> str:
        return evaluate(path_text(path, job.span), lambda reference: _VALUES[reference.name](run)) or ""

    def change(part: object) -> object:
        match part:
            case Artifact() | ReportPath() | Coverage() if part.path is not None:
                return replace(part, path=filled(part.path))
            case Retention():
                return replace(part, exclude=tuple(map(filled, part.exclude)))
        return part

    return rewritten(job, change)


def _setup(name: str, plan: Plan) -> str | None:
    parameter = _PARAMETER.fullmatch(name)
    if parameter:
        return f"${parameter[1]}"
    return f"${_SETUP[name]}" if name in _SETUP else plan_value(name, plan, _LABELS)
