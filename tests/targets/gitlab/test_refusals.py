"""Inputs that GitLab reads before any script: with invalid values, no pipeline is created.

`rules_reader` evaluates the rules according to GitLab's documentation. RE2 searches, `$` is the end of the text
(https://github.com/google/re2/wiki/Syntax). GitLab expands `$NAME`, `${NAME}` and `%NAME%` in names of images and
similar keys (https://docs.gitlab.com/ci/variables/where_variables_can_be_used/).
"""

from __future__ import annotations

import json
import re
import string
from typing import Any

import pytest
from plan.simulated_runs import Run
from targets.gitlab.compiled import Compiled, compiled
from targets.gitlab.rules_reader import starts

HOSTILE = (
    "",
    *("evil", "alpine\n", "\nalpine", "alpine\nevil", "alpine|debian", "alpine debian", "Alpine", "alpin", "xalpine"),
    *("$CI_JOB_TOKEN", "${SECRET}", "%SECRET%", "alpine$X", "alpine:$X", "ümlaut", "\u2028", "a\rb", "\x00", "../x"),
)
FIELDS: dict[str, dict[str, Any]] = {
    "image": {"image": "${inputs.os}"},
    "image with a tag": {"image": "alpine:${inputs.os}"},
    "service": {"services": [{"image": "redis:${inputs.os}"}]},
    "environment": {"environment": "review/${inputs.os}"},
    "address": {"environment": {"name": "x", "url": "https://example.org/${inputs.os}"}},
    "archive": {"artifacts": {"paths": ["x"], "name": "n-${inputs.os}"}},
    "key": {"cache": {"key": "k-${inputs.os}", "paths": ["x/"]}},
    "fallback": {"cache": {"key": "k", "fallback": ["k-${inputs.os}"], "paths": ["x/"]}},
}


def reading(declaration: dict[str, Any], field: dict[str, Any], **more: Any) -> Compiled:
    """Return the compilation of a stage that reads the input `os` of *declaration* in *field*, with keys *more*."""
    stage = {"name": "s", "script": ["x"], **field}
    return compiled(json.dumps({"inputs": {"os": declaration}, "pipelines": {"p": {"stages": [stage]}}, **more}))


def run(**variables: str) -> Run:
    """Return a run of a branch with *variables*."""
    return Run(event="api", branch="main", variables=variables)


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize(
    ("invalid", "taken"),
    [
        ({"choices": ["alpine", "debian"], "default": "alpine"}, ("alpine", "debian")),
        ({"pattern": "[a-z0-9]+", "default": "alpine"}, ("alpine", "x1")),
        ({"pattern": "^(alpine|debian)$", "default": "alpine"}, ("alpine", "debian")),
        ({"type": "boolean", "default": True}, ("true", "false")),
        ({"type": "number", "default": 1}, ("1", "-2.50")),
    ],
    ids=str,
)
def test_invalid_input_values_create_no_pipeline(
    field: dict[str, Any], invalid: dict[str, Any], taken: tuple[str, ...]
) -> None:
    """A run started by the API may have any value; valid ones create a pipeline."""
    output = reading(invalid, field)
    pattern = re.compile(
        invalid.get("pattern", "|".join(taken)) if invalid.get("type") != "number" else "-?[0-9]+([.][0-9]+)?"
    )

    assert starts(output.data, run())
    assert all(starts(output.data, run(os=value)) for value in taken)
    assert not any(starts(output.data, run(os=value)) for value in HOSTILE if not pattern.fullmatch(value))
    assert not any(starts(output.data, run(os=value)) for value in HOSTILE if re.search(r"[^ -~]|[$%]", value))


@pytest.mark.parametrize("field", [FIELDS["image"], FIELDS["environment"]], ids=str)
@pytest.mark.parametrize(
    "invalid", [{"default": "a"}, {"pattern": ".*", "default": "a"}, {"pattern": "[^x]+"}], ids=str
)
def test_input_values_with_variables_create_no_pipeline(field: dict[str, Any], invalid: dict[str, Any]) -> None:
    """A free-text input accepts only printable ASCII that neither GitLab nor its runners expand."""
    data = reading(invalid, field).data
    for letter in (*string.printable, "ü", "\u2028", "\x00"):
        is_fit = (
            " " <= letter <= "~" and letter not in "$%" and not (letter == "x" and invalid.get("pattern") == "[^x]+")
        )

        assert starts(data, run(os=f"a{letter}b")) is is_fit, letter


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"agent": [f"l{number}" for number in range(49)]}, []),
        ({"agent": [f"l{number}" for number in range(50)]}, ["PG638"]),
        ({"environment": {"name": "x", "url": f"https://x.org/{'a' * 241}"}}, []),
        ({"environment": {"name": "x", "url": f"https://x.org/{'a' * 242}"}}, ["PG638"]),
    ],
    ids=["49 labels", "50 labels", "255 characters", "256 characters"],
)
def test_more_than_gitlab_accepts_is_an_error(keys: dict[str, Any], expected: list[str]) -> None:
    """Fewer than 50 tags (https://docs.gitlab.com/ci/yaml/#tags), and 255 characters in the URL of an environment."""
    stage = {"name": "s", "script": ["x"], **keys}
    output = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}}}))

    assert [code for code, _ in output.codes()] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("app.example.org", "app.example.org"), ("review/x y", "review/x y"), ("/a/", "a-"), ("a:b", "a-b-")],
)
def test_names_of_environments_are_such_as_gitlab_accepts(name: str, expected: str) -> None:
    """They may contain letters, digits, blanks and `-_/.`, with no slash at an end; a digest follows a changed name."""
    stage = {"name": "s", "script": ["x"], "environment": name}
    data = compiled(json.dumps({"pipelines": {"p": {"stages": [stage]}}})).data["s"]["environment"]

    assert re.fullmatch(f"{re.escape(expected)}[0-9a-f]*" if expected.endswith("-") else re.escape(expected), data)


def test_a_missing_input_still_creates_a_pipeline() -> None:
    """Other stages run, and the script of the reader reports the missing value."""
    data = reading({"choices": ["a", "b"]}, FIELDS["image"]).data

    assert starts(data, run())
    assert starts(data, run(os="b"))
    assert not starts(data, run(os="c"))


def test_inputs_read_only_by_scripts_add_no_workflow() -> None:
    """The scripts check them."""
    output = compiled("""
        inputs: {os: {choices: [a, b], default: a}}
        pipelines: {p: {stages: [{name: s, script: ['echo "${inputs.os}"']}]}}
    """)

    assert "workflow" not in output.data


@pytest.mark.parametrize(
    ("event", "branch", "tag", "expected"),
    [("push", "main", "", True), ("push", "", "v1", True), ("merge_request", "", "", False), ("api", "x", "", True)],
)
def test_input_checks_keep_the_default_workflow(event: str, branch: str, tag: str, *, expected: bool) -> None:
    """Without a workflow, jobs without rules are in pipelines of branches and tags: https://docs.gitlab.com/ci/yaml/#only."""
    data = reading({"choices": ["a", "b"], "default": "a"}, FIELDS["image"]).data

    assert starts(data, Run(event=event, branch=branch, tag=tag)) is expected


@pytest.mark.parametrize(
    "more",
    [
        {"targets": {"gitlab": {"workflow": {"rules": [{"if": "$CI_COMMIT_BRANCH"}]}}}},
        {"pipelines": {name: {"stages": [{"name": "s", "script": ["x"], "image": "${inputs.os}"}]} for name in "pq"}},
    ],
    ids=["rules of the user", "several pipelines"],
)
def test_input_checks_are_the_first_workflow_rules(more: dict[str, Any]) -> None:
    """The first rule that matches decides."""
    data = reading({"choices": ["a", "b"], "default": "a"}, FIELDS["image"], **more).data

    assert starts(data, run(os="b", PIPEGEN_PIPELINE="all"))
    assert not starts(data, run(os="c", PIPEGEN_PIPELINE="all"))


@pytest.mark.parametrize(
    "value",
    ["a/b", "a b", "a%2Fb", "..", "."],
)
def test_choices_that_are_invalid_cache_keys_are_reported(value: str) -> None:
    """https://docs.gitlab.com/ci/yaml/#cachekey: no slash, and neither "." nor ".."."""
    output = reading({"choices": ["a", value], "default": "a"}, {"cache": {"key": "${inputs.os}", "paths": ["x/"]}})

    assert {code for code, _ in output.codes()} & {"PG634", "PG645"}


@pytest.mark.parametrize(
    ("job_input", "is_safe"),
    [
        ({"default": "x"}, False),
        ({"pattern": ".+", "default": "x"}, False),
        ({"pattern": "[^/]+", "default": "x"}, False),
        ({"pattern": "[a-z/]+", "default": "x"}, False),
        ({"pattern": "[+-z]+", "default": "x"}, False),
        ({"pattern": "a|b/c", "default": "a"}, False),
        ({"pattern": "[.a]+", "default": "a"}, False),
        ({"pattern": "[a-z0-9._-]{0,9}", "default": "a"}, False),
        ({"pattern": "v[0-9]+(\\.[0-9]+){1,2}", "default": "v1.2"}, True),
        ({"pattern": "[A-Za-z0-9_-]+", "default": "x"}, True),
        ({"type": "number", "default": 1}, True),
    ],
    ids=str,
)
def test_cache_keys_accept_inputs_with_a_safe_pattern(job_input: dict[str, Any], *, is_safe: bool) -> None:
    """GitLab cannot replace special characters of a path."""
    output = reading(job_input, {"cache": {"key": "${inputs.os}", "paths": ["x/"]}})

    assert (("PG634", "${inputs.os}") not in output.codes()) is is_safe


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("${setup.branch}", "$CI_COMMIT_REF_SLUG"),
        ("${setup.pipeline}", "p"),
        ("${setup.tag}", None),
        ("${setup.params.CI_PIPELINE_ID}", "$CI_PIPELINE_ID"),
        ("${setup.params.CI_JOB_NAME_SLUG}", "$CI_JOB_NAME_SLUG"),
        ("${setup.params.CI_JOB_NAME}", None),
        ("${setup.params.MY_ID}", None),
    ],
)
def test_cache_keys_accept_setup_values_with_a_slug(key: str, expected: str | None) -> None:
    """GitLab has no slug of a tag, which may contain slashes."""
    output = compiled(
        json.dumps(
            {"pipelines": {"p": {"stages": [{"name": "s", "script": ["x"], "cache": {"key": key, "paths": ["x/"]}}]}}}
        )
    )

    assert (output.data["s"]["cache"]["key"] if output.text else None) == expected


@pytest.mark.parametrize("value", ["a$b", "100%", "ü"])
def test_a_choice_or_default_with_special_characters_is_an_error(value: str) -> None:
    """It would never create a pipeline."""
    for sequences in ({"choices": ["a", value], "default": "a"}, {"default": value}):
        assert [code for code, _ in reading(sequences, FIELDS["image"]).codes()] == ["PG645"]
