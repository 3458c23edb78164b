"""The values that scripts find on GitLab: its variables, as shell text."""

from __future__ import annotations

import re

from pipegen.plan.model import Credential, CredentialKind, Job, Plan
from pipegen.shell.host import Images, Login, ShellEnvironment, plan_value
from pipegen.shell.names import distinct_variable_part, variable_part
from pipegen.shell.values.credentials import sources, variable
from pipegen.structs import replace
from pipegen.targets.gitlab.model import VariableEntry
from pipegen.targets.gitlab.settings import GitLabSettings

# https://docs.gitlab.com/ci/variables/predefined_variables/
_PIPELINE_VARIABLES = {
    "project": "$CI_PROJECT_PATH",
    "projectShortName": "$CI_PROJECT_NAME",
    "commit": "$CI_COMMIT_SHA",
    "branch": "$CI_COMMIT_BRANCH",
    "remote": "$CI_PROJECT_URL.git",
    "tag": "$CI_COMMIT_TAG",
    "shortCommit": "$CI_COMMIT_SHORT_SHA",
    "defaultBranch": "$CI_DEFAULT_BRANCH",
    "changeRequest": "$CI_MERGE_REQUEST_IID",
    "sourceBranch": "$CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "targetBranch": "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "actor": "$GITLAB_USER_LOGIN",
    "GIT_COMMIT": "$CI_COMMIT_SHA",
    "GIT_BRANCH": "$CI_COMMIT_REF_NAME",
    "GIT_LOCAL_BRANCH": "$CI_COMMIT_REF_NAME",
    "GIT_URL": "$CI_PROJECT_URL.git",
}
# The characters of an address that a dotenv report passes on unchanged, for the brackets of a regular expression.
ADDRESS_CHARACTERS = "A-Za-z0-9._~:/?&=%+,;@#-"
# The kinds of pipelines, as `rules/expressions.py` tests them.
_EVENT_CASES = (
    '(push) if [ "$CI_COMMIT_TAG" ]; then echo tag; else echo push; fi;; (merge_request_event) echo merge_request;; '
    "(schedule) echo schedule;; (web|chat) echo manual;; (*) echo api;;"
)
_JOB_VALUES = {
    "timestamp": """$(printf %s "$CI_PIPELINE_CREATED_AT" | cut -c1-19 | sed 's/T/-/; s/://g')""",
    "event": f"$(case $CI_PIPELINE_SOURCE in {_EVENT_CASES} esac)",
    # A child pipeline has a number of its own, so GitLab itself cannot expand it in every file.
    "run": "$CI_PIPELINE_IID",
    "logURL": "$CI_JOB_URL",
    "httpProxy": "${http_proxy:-$HTTP_PROXY}",
}
# Variables that the parent of a child pipeline passes on besides its ID, if the child uses them.
PARENT_VARIABLES = {
    "PIPEGEN_SOURCE": "$CI_PIPELINE_SOURCE",
    "PIPEGEN_CREATED_AT": "$CI_PIPELINE_CREATED_AT",
    "PIPEGEN_NUMBER": "$CI_PIPELINE_IID",
}
# Variables with the value of a setting, by the name of the setting; without a registry, it is that of the project.
SETTING_VARIABLES = {
    "PIPEGEN_REGISTRY": "registry",
    "PIPEGEN_REPOSITORY": "repository",
    "PIPEGEN_NAMESPACE": "namespace",
    "PIPEGEN_CHARTS": "charts",
    "PIPEGEN_FRONTEND": "frontend",
}
_OWN_REGISTRY = "$CI_REGISTRY"
# Files in which helpers, or the script of a successful stage, record its status, and that some stage has failed.
MARKS = ".pipegen/status"
FAILED = ".pipegen/failed"
_LABELS = (("ci.project", "$CI_PROJECT_PATH"), ("ci.job", "$CI_JOB_URL"))
_PARAMETER = r"params\.([A-Za-z_][A-Za-z0-9_]*)"
_FILES = (CredentialKind.FILE, CredentialKind.SSH_KEY)
_PLAIN = r"[a-z0-9]+"
# The name of an output without two underscores in a row, which is not a digest of six digits either.
_SINGLE_UNDERSCORES = r"(?![0-9a-f]{6}$)[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*"
_REPOSITORY = "${PIPEGEN_REPOSITORY:-${CI_REGISTRY_IMAGE#*/}}"
_NO_REGISTRY = "the project has no container registry"
# The first words, after "PIPEGEN_", in names of variables that are not for outputs.
_FIRST_WORDS = frozenset(
    {
        *(
            "after",
            "cache",
            "change",
            "created",
            "default",
            "files",
            "http",
            "input",
            "job",
            "log",
            "param",
            "previous",
            "project",
            "promote",
        ),
        *("registry", "short", "source", "status", "target", "url"),
    }
)


def pipeline_variable(name: str) -> str | None:
    """Return the text that GitLab itself expands to the setup value *name*, in any job and in a trigger."""
    parameter = re.fullmatch(_PARAMETER, name)
    return f"${parameter[1]}" if parameter else _PIPELINE_VARIABLES.get(name)


def setup_value(name: str, plan: Plan) -> str | None:
    """Return the shell text of the setup value *name* in *plan*, None if GitLab lacks it."""
    return pipeline_variable(name) or _JOB_VALUES.get(name) or plan_value(name, plan, _LABELS)


def host(plan: Plan, settings: GitLabSettings) -> ShellEnvironment:
    """Return the environment of the scripts of *plan*."""
    is_local = settings.images is Images.LOCAL
    repository = "$PIPEGEN_REPOSITORY" if settings.repository else _REPOSITORY
    folder = "$PIPEGEN_REGISTRY/$PIPEGEN_REPOSITORY" if settings.repository else "$pipegen_prefix"
    return ShellEnvironment(
        job_id="$CI_JOB_ID",
        run_id="$CI_PIPELINE_ID",
        setup=lambda name: setup_value(name, plan),
        input=lambda name: f"${name}",
        labels=_LABELS,
        values=None,
        images=settings.images,
        shares_daemon=is_local,
        image_repository=f"{folder}/pipegen",
        image_folder=folder,
        names_images=True,
        is_disposable=not is_local,
        login=_login(settings),
        registry="$PIPEGEN_REGISTRY",
        repository=repository,
        namespace="$PIPEGEN_NAMESPACE",
        charts="$PIPEGEN_CHARTS",
        frontend="$PIPEGEN_FRONTEND",
        promote_repository=settings.promote.repository,
        promote_branch=settings.promote.branch,
        promote_credential=settings.promote.bound(plan.span),
        archives_folders=False,
        file_url="$CI_JOB_URL/artifacts/file/",
        folder_url="$CI_JOB_URL/artifacts/browse/",
        has_pipefail=True,
        expanded_variable=expanded_variable,
        after_values="${TMPDIR:-/tmp}/pipegen-$CI_JOB_ID",
        keeps_lines=True,
        credential=bind_credential,
        status=_status,
        marked=frozenset(stage for job in plan.jobs for stage in job.statuses if stage),
        has_status_files=True,
    )


def in_child(host: ShellEnvironment) -> ShellEnvironment:
    """Return the environment of scripts in a child pipeline: values of the whole run come from its parent."""

    def setup(name: str) -> str | None:
        value = host.setup(name)
        for own, of_parent in PARENT_VARIABLES.items():
            value = value.replace(of_parent, f"${own}") if value is not None else None
        return value

    return replace(host, run_id="$PIPEGEN_PARENT", setup=setup)


def _status(slug: str) -> str:
    """Return the shell text of the status of a stage; without a record, the stage never ran."""
    if slug:
        return f"$(cat {MARKS}/{slug} 2>/dev/null || echo skipped)"
    return f"$(if [ -e {FAILED} ]; then echo failed; else echo success; fi)"


def variables(settings: GitLabSettings) -> tuple[VariableEntry, ...]:
    """Return the variables that scripts may use; variables of a project or pipeline override them."""
    values = {name: getattr(settings, key) for name, key in SETTING_VARIABLES.items()}
    values["PIPEGEN_REGISTRY"] = values["PIPEGEN_REGISTRY"] or _OWN_REGISTRY
    return tuple(VariableEntry(name, value) for name, value in values.items() if value)


def default_of(variable: str) -> str:
    """Return the value of a *variable* in `SETTING_VARIABLES` without its setting; "" for none."""
    return next((entry.value for entry in variables(GitLabSettings()) if entry.name == variable), "")


def is_read(variable: str, scripts: str) -> bool:
    """Return whether the text of *scripts* expands *variable*."""
    return re.search(rf"\$\{{?{variable}\b", scripts) is not None


def bind_credential(credential: Credential) -> tuple[str, ...]:
    """Return the commands that set the variables of *credential* from CI/CD variables, or report a missing one."""
    pairs = tuple(zip(credential.variables, sources(credential), strict=True))
    checked = {source: _checked(source, credential) for _, source in pairs}
    if credential.kind is CredentialKind.SSH_KEY:
        # ssh rejects a key that others can read, and runners create such files.
        modes = tuple(f"chmod 600 {checked[source]}" for _, source in pairs)
        return modes + tuple(f'export {variable}="${source}"' for variable, source in pairs if variable != source)
    return tuple(
        f": {checked[source]}" if variable == source else f"export {variable}={checked[source]}"
        for variable, source in pairs
    )


def expanded_variable(job: Job, name: str) -> str:
    """Return the variable that a dotenv report of *job* sets to its output *name*, unique for each output."""
    slug = job.slug
    if re.fullmatch(_PLAIN, slug) and re.fullmatch(_PLAIN, name) and slug not in _FIRST_WORDS:
        return f"PIPEGEN_{slug}_{name}".upper()
    stage = variable_part(slug)
    if "__" not in stage and re.fullmatch(_SINGLE_UNDERSCORES, name):
        return f"PIPEGEN_{stage}__{name}"
    return f"PIPEGEN_{distinct_variable_part(f'{slug}_{name}', f'{slug}.{name}')}"


def address_variable(job: Job) -> str:
    """Return the variable that a dotenv report of *job* sets to the address of its environment."""
    return f"PIPEGEN_URL_{variable_part(job.slug)}"


def _checked(source: str, credential: Credential) -> str:
    """Return the value of *source* as a word; the script ends if the variable is missing."""
    kind = ", of type file" if credential.kind in _FILES else ""
    return f'"${{{source}:?add the CI/CD variable {source}{kind}}}"'


def _login(settings: GitLabSettings) -> Login:
    """Return how jobs log in to the registry: as the job itself, unless a credential is set."""
    name = variable(settings.registry_credential) if settings.registry_credential is not None else "CI_REGISTRY"
    is_own = settings.registry_credential is None
    return Login(
        # A login to no registry would go to Docker's own.
        "$PIPEGEN_REGISTRY" if settings.registry else f"${{PIPEGEN_REGISTRY:?{_NO_REGISTRY}}}",
        f"${name}_USER" if is_own else f"${name}_USERNAME",
        f"${name}_PASSWORD",
        setup=() if settings.repository else (f"pipegen_prefix=$PIPEGEN_REGISTRY/{_REPOSITORY}",),
    )
