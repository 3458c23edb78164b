"""Secrets that stand in the config."""

from __future__ import annotations

import pytest
from lint.findings import asked, stages, told

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
def test_values_of_secrets(stage: str) -> None:
    """In the environment, in scripts, and for containers."""
    assert [text for _, text in told(check, stages(stage))] == [VALUE]


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
def test_what_is_no_secret(stage: str) -> None:
    """The names of secrets, the password of a database for the one run, a reference."""
    assert told(check, stages(stage)) == []


def test_a_token_in_a_comment() -> None:
    """Whoever reads the file reads comments."""
    token = "ghp_" + "k7Wq92xLmP4zR8vT1nB6cY3dF5gH0jS2aU9e"

    assert told(check, f"# {token}\n" + stages("{name: a, script: [ls]}")) == [(1, token)]


def test_a_template_is_told_of_once() -> None:
    """However many stages have it."""
    head = f"templates: {{t: {{script: [ls], env: {{PASSWORD: {VALUE}}}}}}}\n"

    assert len(told(check, stages("{name: a, extends: t}", "{name: b, extends: t}", head=head))) == 1


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_no_format_shows_a_secret(form: str) -> None:
    """Nor does what is said of another place in the same line."""
    text = stages(f"{{name: a, script: ['login --password {VALUE} && ls {VALUE}'], env: {{X_TOKEN: 'q9{VALUE}'}}}}")

    shown = FORMATS[form](redact_plain_secrets(asked(check, text)), colour=False)

    assert VALUE not in shown
    assert "PG704" in shown
