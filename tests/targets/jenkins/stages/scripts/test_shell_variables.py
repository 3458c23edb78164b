"""The environment of scripts on a Jenkins agent."""

from __future__ import annotations

import re

import pytest
from targets.jenkins.sample_plans import plan

from pipegen.bindings.names import SETUP_NAMES
from pipegen.plan.model import CredentialKind, Workspace
from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images, Login
from pipegen.structs import replace
from pipegen.targets.jenkins.settings import JenkinsSettings
from pipegen.targets.jenkins.stages.scripts.setup import Source, setup_value
from pipegen.targets.jenkins.stages.scripts.shell_variables import host, is_assignable

PLAN = plan(("a",), name='de"mo')


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pipeline", 'de\\"mo'),
        ("project", "$PIPEGEN_PROJECT"),
        ("commit", "$PIPEGEN_COMMIT"),
        ("tag", "$TAG_NAME"),
        ("logURL", "${BUILD_URL:+${BUILD_URL}console}"),
        ("params.WHO", "$PIPEGEN_PARAM_WHO"),
        ("params.a-b", "$PIPEGEN_PARAM_a_2d_b"),
        ("GIT_BRANCH", "$PIPEGEN_GIT_BRANCH"),
        ("GIT_URL_2", "$PIPEGEN_GIT_URL_2"),
        ("previousResult", "$PIPEGEN_PREVIOUS_RESULT"),
        ("shortCommit", "$PIPEGEN_SHORT_COMMIT"),
        ("targetBranch", "$CHANGE_TARGET"),
        ("defaultBranch", None),
        ("GIT_FOO", None),
    ],
)
def test_setup_values_come_from_variables(name: str, expected: str | None) -> None:
    """Variables that the git plugin does not document are not used."""
    assert host(PLAN, JenkinsSettings()).setup(name) == expected


def test_values_of_the_start_are_texts_or_calls() -> None:
    """Declarative accepts nothing else in `environment`, and treats `?.` in a text as a dot."""
    values = [value for value in map(setup_value, sorted(SETUP_NAMES)) if value and value.source is Source.START]
    codes = {value.code for value in values}

    assert {"branch()", "previousResult()"} <= codes
    assert [code for code in codes if not re.fullmatch(r'"[^"]*"|\w+\(\)', code) or "?." in code] == []


def test_jobs_are_isolated_unless_they_share_a_workspace() -> None:
    """Values are next to a shared workspace."""
    assert host(PLAN, JenkinsSettings()).values is None
    assert host(replace(PLAN, workspace=Workspace.SHARED), JenkinsSettings()).values == "$WORKSPACE_TMP/pipegen"


def test_stages_on_one_agent_share_a_container_engine() -> None:
    """With a registry, they may run anywhere."""
    local, remote = host(PLAN, JenkinsSettings()), host(PLAN, JenkinsSettings(images=Images.REGISTRY))

    assert (local.images, local.shares_daemon) == (Images.LOCAL, True)
    assert (remote.images, remote.shares_daemon) == (Images.REGISTRY, False)


def test_registry_logins_require_a_credential() -> None:
    """Without one, agents are already logged in."""
    assert host(PLAN, JenkinsSettings()).login is None
    assert host(PLAN, JenkinsSettings(registry_credential="x")).login == Login(
        "$PIPEGEN_REGISTRY", "$PIPEGEN_REGISTRY_USERNAME", "$PIPEGEN_REGISTRY_PASSWORD"
    )


def test_the_chart_credential_depends_on_the_url() -> None:
    """A user name and password for https, a key for ssh."""
    kinds = []
    for repository in ("https://x/y", "ssh://x/y"):
        credential = host(
            PLAN, JenkinsSettings(promote=PromoteSettings(repository=repository, credential="bot"))
        ).promote_credential
        assert credential is not None
        kinds.append((credential.id, credential.kind, len(credential.variables)))

    assert kinds == [("bot", CredentialKind.PASSWORD, 2), ("bot", CredentialKind.SSH_KEY, 1)]


@pytest.mark.parametrize(
    "name", ["URL", "URI", "UUID", "JDK", "Job", "File", "BigDecimal", "in", "default", "as", "this", "super"]
)
def test_the_environment_of_a_stage_cannot_set_words_of_groovy(name: str) -> None:
    """Jenkins answers "you tried to assign a value to the class 'java.net.URL'", and "unexpected token: in"."""
    assert not is_assignable(name)


@pytest.mark.parametrize("name", ["API_URL", "URLS", "IN", "env", "sh", "url", "My_Var", "_", "VERSION"])
def test_the_environment_of_a_stage_can_set_other_variables(name: str) -> None:
    """A real Jenkins takes each of them."""
    assert is_assignable(name)
