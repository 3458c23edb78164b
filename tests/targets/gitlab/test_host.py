"""What scripts find on GitLab."""

from __future__ import annotations

import pytest

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Credential, CredentialKind, Plan, Selection, Workspace
from pipegen.shell.host import Login
from pipegen.source.text import SourceFile, Span
from pipegen.targets.gitlab.host import bind_credential, host, pipeline_variable, setup_value, variables
from pipegen.targets.gitlab.settings import Promote, Settings

SPAN = Span(SourceFile("pipegen.yaml", "service"), 0, 7)
PLAN = Plan(
    name='a "$b"',
    span=SPAN,
    graph=ExecutionGraph(),
    frames=(),
    jobs=(),
    fetch=None,
    workspace=Workspace.ISOLATED,
    workspace_span=None,
    selection=Selection.ALWAYS,
    folder="",
)


def credential(name: str, kind: CredentialKind, *variables: str) -> Credential:
    """Return a credential bound to *variables*."""
    return Credential(id=name, kind=kind, variables=variables, span=SPAN)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("project", "$CI_PROJECT_PATH"),
        ("params.TAG", "$TAG"),
        ("remote", "$CI_PROJECT_URL.git"),
        ("GIT_COMMIT", "$CI_COMMIT_SHA"),
        ("pipeline", r"a \"\$b\""),
        ("imageLabels", r"ci.project=$CI_PROJECT_PATH,ci.job=$CI_JOB_URL,ci.pipeline=a \"\$b\""),
        ("GIT_PREVIOUS_COMMIT", None),
        ("params.not-a-variable", None),
    ],
)
def test_setup_values_come_from_gitlab_s_variables(name: str, value: str | None) -> None:
    """Each is shell text for a place between double quotes."""
    assert setup_value(name, PLAN) == value


def test_a_bridge_knows_only_what_belongs_to_the_pipeline() -> None:
    """A job's own log, and what is computed, are no variables of the pipeline."""
    assert pipeline_variable("commit") == "$CI_COMMIT_SHA"
    assert pipeline_variable("logURL") is None
    assert pipeline_variable("timestamp") is None


def test_a_credential_of_its_own_name_is_only_checked() -> None:
    """A variable that is there under the right name needs no line but the check."""
    bound = bind_credential(credential("deploy-token", CredentialKind.TEXT, "DEPLOY_TOKEN"))

    assert bound == (': "${DEPLOY_TOKEN:?add the CI/CD variable DEPLOY_TOKEN, for the credential deploy-token}"',)


def test_a_pair_comes_from_two_variables() -> None:
    """User name and password have a variable each, and are exported under the wanted names."""
    bound = bind_credential(credential("sonar", CredentialKind.PASSWORD, "USER_NAME", "PASS"))

    assert bound == (
        ': "${SONAR_USERNAME:?add the CI/CD variable SONAR_USERNAME, for the credential sonar}"',
        ': "${SONAR_PASSWORD:?add the CI/CD variable SONAR_PASSWORD, for the credential sonar}"',
        'export USER_NAME="$SONAR_USERNAME"',
        'export PASS="$SONAR_PASSWORD"',
    )


def test_a_key_is_a_file() -> None:
    """A variable of type file holds the path that ssh wants."""
    bound = bind_credential(credential("1key", CredentialKind.SSH_KEY, "KEY"))

    assert bound == (
        ': "${_1KEY:?add a CI/CD variable of type file _1KEY, for the credential 1key}"',
        'chmod 600 "$_1KEY"',
        'export KEY="$_1KEY"',
    )


def test_no_text_of_a_credential_is_run() -> None:
    """An ID is shown without what a shell would take up."""
    check, _ = bind_credential(credential('a`id`}"$x', CredentialKind.TEXT, "A"))

    assert check == ': "${A_ID____X:?add the CI/CD variable A_ID____X, for the credential a_id____x}"'


def test_the_job_logs_in_as_itself() -> None:
    """Without a credential, the job's own login to the project's registry is used."""
    assert host(PLAN, Settings()).login == Login("$PIPEGEN_REGISTRY", "$CI_REGISTRY_USER", "$CI_REGISTRY_PASSWORD")


def test_another_registry_has_its_own_login() -> None:
    """A credential of the settings is a pair of CI/CD variables."""
    settings = Settings(registry="registry.example.org", registry_credential="my-login")

    assert host(PLAN, settings).login == Login("$PIPEGEN_REGISTRY", "$MY_LOGIN_USERNAME", "$MY_LOGIN_PASSWORD")


def test_settings_are_variables_that_others_override() -> None:
    """A variable of the file is the weakest there is, so one of the project or the pipeline wins."""
    found = {variable.name: variable.value for variable in variables(Settings(repository="team"))}

    assert found["PIPEGEN_REGISTRY"] == "$CI_REGISTRY"
    assert found["PIPEGEN_REPOSITORY"] == "team"
    assert host(PLAN, Settings(repository="team")).repository == "$PIPEGEN_REPOSITORY"


def test_a_repository_of_charts_by_ssh_takes_a_key() -> None:
    """The address tells what kind of credential it wants."""
    by_ssh = host(PLAN, Settings(promote=Promote(repository="git@example.org:charts"))).promote_credential
    by_https = host(PLAN, Settings()).promote_credential

    assert by_ssh is not None
    assert by_https is not None
    assert (by_ssh.kind, by_https.kind) == (CredentialKind.SSH_KEY, CredentialKind.PASSWORD)
