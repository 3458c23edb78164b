"""The environment of scripts on GitLab."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from plan.sample_plans import plan_of
from targets.gitlab.compiled import compiled

import pipegen
from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Credential, CredentialKind, Plan, Selection, Workspace
from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Login
from pipegen.source.text import SourceFile, Span
from pipegen.structs import replace
from pipegen.targets.gitlab.jobs.values.shell_variables import (
    address_variable,
    bind_credential,
    expanded_variable,
    host,
    pipeline_variable,
    setup_value,
    variables,
)
from pipegen.targets.gitlab.settings import GitLabSettings

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
        ("changeRequest", "$CI_MERGE_REQUEST_IID"),
        ("run", "$CI_PIPELINE_IID"),
        ("GIT_PREVIOUS_COMMIT", None),
        ("params.not-a-variable", None),
    ],
)
def test_setup_values_come_from_gitlabs_variables(name: str, value: str | None) -> None:
    """Each is shell text for use inside double quotes."""
    assert setup_value(name, PLAN) == value


def test_a_bridge_has_only_variables_of_the_pipeline() -> None:
    """The log of a job and computed values are not among them."""
    assert pipeline_variable("commit") == "$CI_COMMIT_SHA"
    assert pipeline_variable("logURL") is None
    assert pipeline_variable("timestamp") is None


def test_a_credential_with_the_requested_name_is_only_checked() -> None:
    """No export is necessary."""
    bound = bind_credential(credential("deploy-token", CredentialKind.TEXT, "DEPLOY_TOKEN"))

    assert bound == (': "${DEPLOY_TOKEN:?add the CI/CD variable DEPLOY_TOKEN}"',)


def test_a_password_credential_is_two_variables() -> None:
    """User name and password are exported under the requested names."""
    bound = bind_credential(credential("sonar", CredentialKind.PASSWORD, "USER_NAME", "PASS"))

    assert bound == (
        'export USER_NAME="${SONAR_USERNAME:?add the CI/CD variable SONAR_USERNAME}"',
        'export PASS="${SONAR_PASSWORD:?add the CI/CD variable SONAR_PASSWORD}"',
    )


def test_an_ssh_key_is_a_file_variable() -> None:
    """The variable contains the path of the file, as ssh expects."""
    bound = bind_credential(credential("1key", CredentialKind.SSH_KEY, "KEY"))

    assert bound == (
        'chmod 600 "${_1KEY:?add the CI/CD variable _1KEY, of type file}"',
        'export KEY="$_1KEY"',
    )


def test_a_credential_id_is_not_executed() -> None:
    """The shell does not expand an ID in a message."""
    (check,) = bind_credential(credential('a`id`}"$x', CredentialKind.TEXT, "A"))

    assert check == 'export A="${A_ID____X:?add the CI/CD variable A_ID____X}"'


def test_the_default_registry_login_is_the_jobs_own() -> None:
    """It is valid for the project's registry."""
    assert host(PLAN, GitLabSettings()).login == Login(
        "${PIPEGEN_REGISTRY:?the project has no container registry}",
        "$CI_REGISTRY_USER",
        "$CI_REGISTRY_PASSWORD",
        ("pipegen_prefix=$PIPEGEN_REGISTRY/${PIPEGEN_REPOSITORY:-${CI_REGISTRY_IMAGE#*/}}",),
    )


def test_another_registry_uses_its_credential() -> None:
    """The credential in the settings is a pair of CI/CD variables."""
    settings = GitLabSettings(registry="registry.example.org", repository="team", registry_credential="my-login")

    assert host(PLAN, settings).login == Login("$PIPEGEN_REGISTRY", "$MY_LOGIN_USERNAME", "$MY_LOGIN_PASSWORD")


def test_settings_are_overridable_file_variables() -> None:
    """Variables of the project or the pipeline take precedence."""
    values = {variable.name: variable.value for variable in variables(GitLabSettings(repository="team"))}

    assert values["PIPEGEN_REGISTRY"] == "$CI_REGISTRY"
    assert values["PIPEGEN_REPOSITORY"] == "team"
    assert host(PLAN, GitLabSettings(repository="team")).repository == "$PIPEGEN_REPOSITORY"


def test_a_chart_repository_with_an_ssh_url_requires_a_key() -> None:
    """The URL determines the kind of the credential."""
    by_ssh = host(PLAN, GitLabSettings(promote=PromoteSettings(repository="git@example.org:charts"))).promote_credential
    by_https = host(PLAN, GitLabSettings()).promote_credential

    assert by_ssh is not None
    assert by_https is not None
    assert (by_ssh.kind, by_https.kind) == (CredentialKind.SSH_KEY, CredentialKind.PASSWORD)


NAMES = (
    "a",
    "b",
    "a-b",
    "a_b",
    "A-B",
    "a.b",
    "a--b",
    "envs",
    "url",
    "url-envs",
    "promote",
    "key",
    "created",
    "at",
    "c1",
    "imageID",
    "abcdef",
)


def test_variables_of_outputs_and_urls_are_unique() -> None:
    """Reports of several jobs reach one job, where a duplicate would override another."""
    (job,) = plan_of("[{name: s, script: [x]}]").jobs
    jobs = [replace(job, slug=slug) for slug in NAMES]
    texts = [expanded_variable(job, name) for job in jobs for name in NAMES] + [address_variable(job) for job in jobs]

    assert len(set(texts)) == len(texts)
    assert all(re.fullmatch(r"PIPEGEN_[A-Za-z0-9_]+", name) for name in texts)
    assert (expanded_variable(jobs[0], "b"), address_variable(jobs[2])) == ("PIPEGEN_A_B", "PIPEGEN_URL_A_B")
    assert expanded_variable(jobs[2], "imageID") == "PIPEGEN_A_B__imageID"


def test_variables_of_outputs_do_not_collide_with_pipegens_own() -> None:
    """For every variable name in the code and the templates."""
    root = Path(pipegen.__file__).parent
    files = [*root.rglob("*.py"), *(root.parent / "templates").rglob("*.j2")]
    own = {name for file in files for name in re.findall(r"PIPEGEN_([A-Z]+(?:_[A-Z]+)+)", file.read_text())}
    (job,) = plan_of("[{name: s, script: [x]}]").jobs

    assert own
    for name in own:
        stage, _, output = name.lower().partition("_")

        assert expanded_variable(replace(job, slug=stage), output) != f"PIPEGEN_{name}"


def test_an_output_and_a_url_of_similar_names_both_arrive() -> None:
    """A stage `url` with an output `envs`, and a stage `envs` with a URL."""
    data = compiled("""
        pipelines:
          p:
            stages:
              - {name: url, script: [x], outputs: [envs]}
              - name: envs
                image: 'x:${url.envs}'
                script: [x]
                outputs: [h]
                environment: {name: e, url: 'https://${.h}'}
    """).data

    assert data["envs"]["environment"]["url"] == "$PIPEGEN_URL_ENVS"
    assert "PIPEGEN_URL_ENVS}" not in data["envs"]["image"]
    assert "PIPEGEN_URL_ENVS=" not in str(data["url"]["script"])
