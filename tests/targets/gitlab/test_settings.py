"""The `targets.gitlab` section."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pipegen.shell import defaults
from pipegen.shell.host import Images
from pipegen.source.text import SourceFile, Span
from pipegen.source.tree import Entry, Mapping, Node, Scalar, ScalarKind, Sequence
from pipegen.targets.gitlab.settings import GitLabSettings, Pages, TriggeredProject, read
from pipegen.targets.gitlab.settings_schema import SCHEMA

EVERYTHING: dict[str, Any] = {
    "version": "16.11",
    "images": "local",
    "tags": ["docker", "linux"],
    "workflow": {"name": "All", "rules": [{"when": "always"}], "duplicates": True},
    "include": ["a.yml", {"project": "group/ci", "file": ["/a.yml"], "ref": "v1"}],
    "include_stages": {"test": None, "scan": "docs"},
    "files_from": [
        {"stages": ["test"], "jobs": [{"project": "group/app", "job": "dist", "ref": "main"}]},
        {"stages": ["docs"], "jobs": [{"pipeline": "$PARENT", "job": "dist"}]},
    ],
    "id_tokens": {"ONE": "https://example.org", "TWO": ["a", "b"]},
    "runner_variables": {"FF_TIMESTAMPS": "true", "GET_SOURCES_ATTEMPTS": 3, "GIT_CLONE_PATH": "$CI_BUILDS_DIR/a"},
    "pages": {"stage": "docs", "publish": "site/"},
    "release": {
        "stage": "tag",
        "tag": "v1",
        "name": "One",
        "description": "NOTES.md",
        "ref": "main",
        "milestones": ["next"],
        "links": [{"name": "tool", "url": "https://example.org/tool", "filepath": "/tool", "type": "package"}],
    },
    "tools": {
        "docker": "a:1",
        "dind": "b:1",
        "helm": "c:1",
        "git": "d:1",
        "curl": "e:1",
        "shell": "f:1",
        "release": "g:1",
    },
    "registry": "registry.example.org:5000",
    "repository": "team",
    "registry_credential": "registry-login",
    "namespace": "staging",
    "charts": "https://charts.example.org/",
    "frontend": "registry.example.org/blubber:1",
    "promote": {"repository": "https://example.org/charts.git", "branch": "next", "credential": "bot"},
    "projects": {"one": "group/one", "two": {"project": "group/two", "branch": "${NEXT}-$CI_COMMIT_REF_NAME"}},
    "mail": {"server": "MAIL_URL", "sender": "MAIL_FROM"},
    "max_yaml_size_bytes": 4_000_000,
}


def tree(value: Any) -> Node:
    """Return *value* as a tree of YAML nodes."""
    span = Span(SourceFile("pipegen.yaml", ""), 0, 0)
    if isinstance(value, dict):
        return Mapping(tuple(Entry(Scalar(key, span), tree(item)) for key, item in value.items()), span)
    if isinstance(value, list):
        return Sequence(tuple(tree(item) for item in value), span)
    return Scalar(str(value), span, ScalarKind.TEXT)


def test_settings_have_defaults() -> None:
    """Images are shared through the registry; the rest is common to all targets."""
    settings = read(None)

    assert settings == GitLabSettings()
    assert settings.images is Images.REGISTRY
    assert settings.charts == defaults.CHARTS


def test_every_setting_is_parsed() -> None:
    """The test uses every setting of the schema."""
    section = tree(EVERYTHING)
    assert isinstance(section, Mapping)
    settings = read(section)

    assert EVERYTHING.keys() == set(SCHEMA["properties"]) == set(GitLabSettings.__struct_fields__)  # type: ignore[call-overload]
    assert settings.version == (16, 11)
    assert settings.images is Images.LOCAL
    assert settings.tools.curl == "e:1"
    assert settings.projects == {
        "one": TriggeredProject(project="group/one"),
        "two": TriggeredProject(project="group/two", branch="${NEXT}-$CI_COMMIT_REF_NAME"),
    }
    assert settings.id_tokens == (("ONE", ("https://example.org",)), ("TWO", ("a", "b")))
    assert settings.runner_variables == (
        ("FF_TIMESTAMPS", "true"),
        ("GET_SOURCES_ATTEMPTS", "3"),
        ("GIT_CLONE_PATH", "$CI_BUILDS_DIR/a"),
    )
    assert settings.pages == Pages(stage="docs", publish="site")
    assert settings.release[0].links[0].filepath == "/tool"
    assert settings.mail is not None
    assert settings.mail.sender == "MAIL_FROM"


def test_the_schema_is_valid_and_accepts_every_setting() -> None:
    """It is a draft 2020-12 schema."""
    Draft202012Validator.check_schema(SCHEMA)

    assert not list(Draft202012Validator(SCHEMA).iter_errors(EVERYTHING))


@pytest.mark.parametrize(
    "section",
    [
        {"images": "remote"},
        {"version": 16.1},
        {"version": "16"},
        {"unknown": 1},
        {"tools": {"podman": "x"}},
        {"registry": 'x"; rm -rf ~'},
        {"charts": "https://example.org/$(id)"},
        {"projects": {"one": {"branch": "next"}}},
        {"mail": {"server": "not a variable"}},
        {"pages": {"publish": "site"}},
        {"pages": {"stage": "docs", "publish": "/srv"}},
        {"release": {"stage": "tag", "description": "$(id)"}},
        {"release": {"stage": "tag", "name": "`id`"}},
        {"release": {"stage": "tag", "links": [{"name": "a", "url": "$(id)"}]}},
        {"release": [{"stage": "tag", "ref": "`id`"}]},
        {"release": {"stage": "tag", "name": "one\n$(id)"}},
        {"workflow": {"rules": ["always"]}},
        {"include": [{"project": "group/ci"}]},
        {"include": [{"local": "a.yml", "template": "b.yml"}]},
        {"include": [{"templat": "b.yml"}]},
        {"include_stages": {"test": ["build"]}},
        {"files_from": [{"stages": ["test"]}]},
        {"files_from": [{"stages": ["test"], "jobs": [{"project": "group/app", "job": "dist"}]}]},
        {"files_from": [{"stages": ["test"], "jobs": [{"pipeline": "1", "job": "dist", "ref": "main"}]}]},
        {"runner_variables": {"FF_TIMESTAMPS": {"value": "true"}}},
        {"projects": {"one": {"project": "group/one", "branch": "$(id)"}}},
        {"projects": {"one": {"project": "group/one", "branch": "a-$"}}},
    ],
)
def test_the_schema_rejects_unsafe_values_and_unknown_keys(section: dict[str, Any]) -> None:
    """Unsafe values could become program text."""
    assert list(Draft202012Validator(SCHEMA).iter_errors(section))


def test_a_wrong_version_has_a_hint() -> None:
    """The pattern alone does not say what a version is."""
    properties: Any = SCHEMA["properties"]
    version = properties["version"]

    assert Draft202012Validator(version).is_valid(*version["examples"])
