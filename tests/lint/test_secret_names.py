"""Text that assigns a secret, and text that only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given as examples
from hypothesis import strategies as some

from pipegen.lint.secret_names import assigned_secrets, is_likely_secret, is_secret_name


@pytest.mark.parametrize(
    "text",
    [
        "PASSWORD=hunter2",
        "export API_KEY='k7Wq92xL'",
        "login --password k7Wq92xL",
        "login --token=k7Wq92xL",
        'curl -d \'{"password": "k7Wq92xL"}\' x',
        "curl -u robot:k7Wq92xL https://example.org",
        "docker login -u robot -p k7Wq92xL registry.example.org",
        "git clone https://robot:k7Wq92xL@git.example.org/x.git",
        "curl -H 'Authorization: Bearer k7Wq92xLmP4z' x",
    ],
)
def test_assigned_secrets_are_found(text: str) -> None:
    """They are assigned to a variable, an option, a key or a user, or are in a URL or a header."""
    (secret,) = assigned_secrets(text)

    assert text[secret.start : secret.end].startswith(("hunter2", "k7Wq92xL"))


@pytest.mark.parametrize(
    "text",
    [
        "PASSWORD=$SECRET",
        'PASSWORD="${a.b}"',
        "PASSWORD=$(cat file)",
        "PASSWORD=postgres",
        "PASSWORD=changeme123",
        "TOKEN=/run/secrets/token1",
        "login --password-stdin <file1234",
        "TOKEN_FILE=token1234",
        "psql postgres://user:${PW}@db:5432/x",
        "docker run -p 8080:k8080 x",
        "docker login -u robot9 --password-stdin registry8.example.org",
        "test 'token: none'",
        "CACHE_KEY=v1-abc-2024",
        "token: v1",
    ],
)
def test_other_assigned_values_are_not_secrets(text: str) -> None:
    """They are variables, words and paths, or the name only resembles one."""
    assert list(assigned_secrets(text)) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DB_PASSWORD", True),
        ("token", True),
        ("api-key", True),
        ("TOKEN_FILE", False),
        ("KEY", False),
        ("passwords", False),
    ],
)
def test_names_of_secrets(name: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """The last word of the name decides."""
    assert is_secret_name(name) is expected


@examples(some.text(alphabet="abcdefghijklmnopqrstuvwxyz-_", max_size=40))
def test_words_are_not_secrets(text: str) -> None:
    """A value without a digit may be a name."""
    assert not is_likely_secret(text)


@examples(some.text(max_size=100), some.text(max_size=100))
def test_a_secret_is_found_within_any_text(before: str, after: str) -> None:
    """At its position."""
    text = f"{before};PASSWORD=k7Wq92xL;{after}"

    assert "k7Wq92xL" in [text[secret.start : secret.end] for secret in assigned_secrets(text)]
