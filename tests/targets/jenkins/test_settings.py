"""The settings under `targets.jenkins`."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from targets.jenkins.sample_plans import SPAN

from pipegen.shell.host import Images
from pipegen.source.tree import Entry, Mapping, Scalar
from pipegen.targets.jenkins.settings import SETTINGS, JenkinsSettings, PromotionSettings, parse_settings


def mapping(**entries: str | Mapping) -> Mapping:
    """Return a mapping node."""
    made = ((key, Scalar(value, SPAN) if isinstance(value, str) else value) for key, value in entries.items())
    return Mapping(tuple(Entry(Scalar(key, SPAN), value) for key, value in made), SPAN)


def test_the_schema_is_one() -> None:
    """It is draft 2020-12 itself."""
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
        {"tools": {"a b": "x"}},
    ],
)
def test_what_the_shell_would_read_is_refused(settings: dict[str, object]) -> None:
    """Unknown keys and characters that mean something between double quotes are wrong."""
    assert not Draft202012Validator(SETTINGS).is_valid(settings)


def test_nothing_said_is_the_defaults() -> None:
    """No section, or an empty one."""
    assert parse_settings(None) == parse_settings(mapping()) == JenkinsSettings()


def test_what_is_said_is_taken() -> None:
    """Each setting replaces its default, the others stay."""
    found = parse_settings(mapping(agent="docker", images="registry", promote=mapping(branch="main")))

    assert found == JenkinsSettings(agent="docker", images=Images.REGISTRY, promote=PromotionSettings(branch="main"))


@pytest.mark.parametrize(
    ("repository", "is_ssh"),
    [("https://x/y.git", False), ("ssh://x/y", True), ("me@x:y", True)],
)
def test_the_address_tells_the_kind_of_the_credential(repository: str, *, is_ssh: bool) -> None:
    """An SSH address takes a key."""
    assert PromotionSettings(repository=repository).is_ssh is is_ssh
