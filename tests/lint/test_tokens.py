"""Tokens of well-known services, and text that only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pipegen.lint.tokens import tokens

# The tokens are split here, so that no scanner reports this file as a leak.
MADE_UP = "k7Wq92xLmP4zR8vT1nB6cY3dF5gH0jS2aU9e"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("-----BEGIN RSA PRIVATE KEY" + "-----", "a private key"),
        ("AKIA" + "QRSTUVWXYZ234567", "an AWS access key"),
        ("ghp_" + MADE_UP, "a GitHub token"),
        ("glpat-" + MADE_UP[:20], "a GitLab token"),
        ("xoxb-" + MADE_UP[:20], "a Slack token"),
        ("AIza" + MADE_UP[:35], "a Google API key"),
        ("npm_" + MADE_UP, "an npm token"),
        ("sk_live_" + MADE_UP[:24], "a Stripe key"),
        ("eyJ" + MADE_UP[:20] + ".eyJ" + MADE_UP[:20] + "." + MADE_UP, "a JSON web token"),
    ],
)
def test_tokens_of_known_services_are_found(text: str, what: str) -> None:
    """They may be anywhere in the text."""
    (secret,) = tokens(f"x = '{text}' # y")

    assert (secret.description, secret.start, secret.end) == (what, 5, 5 + len(text))


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_short",
        "-----BEGIN PUBLIC KEY-----",
        "task_live_abc",
        "$GITHUB_TOKEN",
        "glpat-$TOKEN",
    ],
)
def test_other_text_is_not_a_token(text: str) -> None:
    """These are examples in manuals, public keys and variables."""
    assert list(tokens(text)) == []


@given(some.text(max_size=100), some.text(max_size=100))
def test_a_token_is_found_within_any_text(before: str, after: str) -> None:
    """At its position."""
    token, start = "npm_" + MADE_UP, len(before) + 1

    assert (start, start + len(token)) in [(secret.start, secret.end) for secret in tokens(f"{before} {token} {after}")]
