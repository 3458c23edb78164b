"""The settings under `targets.jenkins`."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from targets.jenkins.sample_plans import SPAN

from pipegen.shell.defaults import PromoteSettings
from pipegen.shell.host import Images
from pipegen.source.tree import Entry, Mapping, Scalar
from pipegen.targets.jenkins.settings import SETTINGS, JenkinsSettings, parse_settings


def mapping(**entries: str | Mapping) -> Mapping:
    """Return a mapping node."""
    generator = ((key, Scalar(value, SPAN) if isinstance(value, str) else value) for key, value in entries.items())
    return Mapping(tuple(Entry(Scalar(key, SPAN), value) for key, value in generator), SPAN)


def test_the_schema_is_valid() -> None:
    """It is a draft 2020-12 schema."""
    Draft202012Validator.check_schema(SETTINGS)

    assert Draft202012Validator(SETTINGS).is_valid({})


@pytest.mark.parametrize(
    "settings",
    [
        {"agents": "x"},
        {"images": "both"},
        {"registry": "$(id)"},
        {"frontend": 'a"b'},
        {"charts": "https://x/`id`"},
        {"promote": {"repository": "https://x/$y"}},
        {"promote": {"repo": "x"}},
        {"discard": {}},
        {"discard": {"builds": 0}},
        {"options": ["disableResume; error()"]},
        {"wrap": ["a()\nb()"]},
        {"libraries": ["it's"]},
        {"definitions": " "},
        {"tools": {"a b": "x"}},
    ],
)
def test_the_schema_rejects_shell_syntax_and_unknown_keys(settings: dict[str, object]) -> None:
    """Characters with a meaning inside double quotes are invalid."""
    assert not Draft202012Validator(SETTINGS).is_valid(settings)


def test_settings_have_defaults() -> None:
    """For a missing and an empty section."""
    assert parse_settings(None) == parse_settings(mapping()) == JenkinsSettings()


def test_settings_override_their_defaults() -> None:
    """Other settings keep theirs."""
    settings = parse_settings(mapping(agent="docker", images="registry", promote=mapping(branch="main")))

    assert settings == JenkinsSettings(agent="docker", images=Images.REGISTRY, promote=PromoteSettings(branch="main"))


@pytest.mark.parametrize(
    ("repository", "is_ssh"),
    [("https://x/y.git", False), ("ssh://x/y", True), ("me@x:y", True)],
)
def test_the_url_determines_the_kind_of_credential(repository: str, *, is_ssh: bool) -> None:
    """An SSH URL requires a key."""
    assert PromoteSettings(repository=repository).is_ssh is is_ssh
