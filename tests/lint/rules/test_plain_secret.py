"""Secrets in plain text in a config."""

from __future__ import annotations

import pytest
from lint.findings import diagnostics_of, findings, stages

from pipegen.diagnostics.redaction import redact_plain_secrets
from pipegen.diagnostics.render import FORMATS
from pipegen.lint.rules.plain_secret import check

VALUE = "k7Wq92" + "xLmP4z"


@pytest.mark.parametrize(
    "stage",
    [
        f"{{name: a, script: [ls], env: {{DB_PASSWORD: {VALUE}}}}}",
        f"{{name: a, script: ['login --password {VALUE}']}}",
        f"{{name: a, script: [ls], after: ['TOKEN={VALUE} notify']}}",
        f"{{name: a, build: a, run: {{env: {{API_KEY: {VALUE}}}}}}}",
        f"{{name: a, build: a, run: {{arguments: ['--token={VALUE}']}}}}",
    ],
)
def test_plain_secrets_are_reported(stage: str) -> None:
    """They are in variables, scripts and arguments of containers."""
    assert [text for _, text in findings(check, stages(stage))] == [VALUE]


@pytest.mark.parametrize(
    "stage",
    [
        "{name: a, script: [ls], secrets: {DB_PASSWORD: vault-login-2}}",
        "{name: a, script: [ls], secrets: {LOGIN: {password: vault-login-2}}}",
        "{name: a, build: a, run: {credentials: [{id: token-id-42, name: API_TOKEN}]}}",
        "{name: a, script: [ls], services: [{image: x:1, env: {PW: pg1234567}}], env: {PG_TOKEN: pg1234567}}",
        "{name: a, script: [ls], env: {TOKEN: '${setup.commit}'}}",
    ],
)
def test_other_values_are_not_reported(stage: str) -> None:
    """They are names of secrets, a password of a database for one run, and a reference."""
    assert findings(check, stages(stage)) == []


def test_a_token_in_a_comment_is_reported() -> None:
    """Readers of the file can see it."""
    token = "ghp_" + "k7Wq92xLmP4zR8vT1nB6cY3dF5gH0jS2aU9e"

    assert findings(check, f"# {token}\n" + stages("{name: a, script: [ls]}")) == [(1, token)]


def test_a_secret_in_a_template_is_reported_once() -> None:
    """The number of stages that extend it does not matter."""
    head = f"templates: {{t: {{script: [ls], env: {{PASSWORD: {VALUE}}}}}}}\n"

    assert len(findings(check, stages("{name: a, extends: t}", "{name: b, extends: t}", head=head))) == 1


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_format_shows_a_secret(form: str) -> None:
    """Diagnostics at another location of the same line redact it, too."""
    text = stages(f"{{name: a, script: ['login --password {VALUE} && ls {VALUE}'], env: {{X_TOKEN: 'q9{VALUE}'}}}}")

    shown = FORMATS[form](redact_plain_secrets(diagnostics_of(check, text)), colour=False)

    assert VALUE not in shown
    assert "PG704" in shown
