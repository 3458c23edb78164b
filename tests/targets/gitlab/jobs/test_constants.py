"""Constants of `env` as variables."""

from __future__ import annotations

from typing import Any

import pytest
from targets.gitlab.compiled import compiled


def _generated(*stages: str, more: str = "") -> dict[str, Any]:
    """Return the file of *stages* in sequence."""
    return compiled(f"{more}pipelines: {{ p: {{ stages: [{', '.join(stages)}] }} }}").data


def test_a_constant_of_env_becomes_a_variable() -> None:
    """Neither the script nor the after script exports it."""
    data = _generated("{ name: a, script: x, after: [y], env: { MODE: fast, N: '1' } }")["a"]

    assert data["variables"] == {"MODE": "fast", "N": "1"}
    assert (data["script"], data["after_script"]) == (["x"], ["y"])


def test_constants_of_all_jobs_are_variables_of_the_file() -> None:
    """A job with additional constants has only those."""
    data = _generated("{ name: a, script: x, env: { M: m } }", "{ name: b, script: x, env: { M: m, O: o } }")

    assert data["variables"] == {"M": "m"}
    assert "variables" not in data["a"]
    assert data["b"]["variables"] == {"O": "o"}


def test_a_file_with_triggers_has_no_file_variables() -> None:
    """The triggered pipelines would get them."""
    settings = "targets: { gitlab: { projects: { j: g/p } } }\n"
    stages = [f"{{ name: {name}, script: x, env: {{ M: m }} }}" for name in "ab"]
    data = _generated(*stages, "{ name: c, trigger: { name: j } }", more=settings)

    assert "variables" not in data
    assert data["a"]["variables"] == {"M": "m"}


@pytest.mark.parametrize(
    ("value", "variable"),
    [
        ("${CI_PROJECT_DIR}/.cache/pip", "$CI_PROJECT_DIR/.cache/pip"),
        ("a${CI_JOB_ID}b", "a${CI_JOB_ID}b"),
        ("${setup.commit}-${setup.pipeline}", "$CI_COMMIT_SHA-p"),
        ("${setup.remote}", "$CI_PROJECT_URL.git"),
        ("${setup.params.CI_COMMIT_REF_SLUG}", "$CI_COMMIT_REF_SLUG"),
    ],
)
def test_gitlab_expands_its_own_variables_in_values(value: str, variable: str) -> None:
    """https://docs.gitlab.com/ci/variables/#use-a-variable-in-another-variable."""
    data = _generated(f"{{ name: a, script: x, after: [y], env: {{ MODE: '{value}' }} }}")["a"]

    assert data["variables"] == {"MODE": variable}
    assert (data["script"], data["after_script"]) == (["x"], ["y"])


def test_gitlab_expands_variables_that_are_set_before_in_values() -> None:
    """https://docs.gitlab.com/ci/variables/#use-a-variable-in-another-variable."""
    env = "{ CERTS: /certs, GIT_DEPTH: '1', FIRST: '${CERTS}/ca', SECOND: '${FIRST}.pem', DEPTH: '${GIT_DEPTH}' }"
    data = _generated(f"{{ name: a, script: x, env: {env} }}")["a"]

    assert data["variables"] == {"CERTS": "/certs", "FIRST": "$CERTS/ca", "SECOND": "$FIRST.pem"}
    assert data["script"] == ["export GIT_DEPTH=1", 'export DEPTH="$GIT_DEPTH"', "x"]


def test_a_value_that_reads_an_exported_variable_is_exported_too() -> None:
    """GitLab would expand the registry to its own one."""
    env = "{ CI_REGISTRY: example.com, IMAGE: '${CI_REGISTRY}/a', TAGGED: '${IMAGE}:1', OWN: '${CI_PROJECT_PATH}' }"
    data = _generated(f"{{ name: a, script: x, env: {env} }}")["a"]

    assert data["variables"] == {"OWN": "$CI_PROJECT_PATH"}
    assert data["script"] == [
        "export CI_REGISTRY=example.com",
        'export IMAGE="$CI_REGISTRY/a"',
        'export TAGGED="$IMAGE:1"',
        "x",
    ]


def test_variables_that_are_too_many_are_exported_with_all_that_they_read() -> None:
    """Rules read one of them, which remains a variable."""
    numbers = ", ".join(f"N{number}: a" for number in range(50))
    rules = "raw: { gitlab: { rules: [{ if: $N1 && $ALL }] } }"
    data = _generated(f"{{ name: a, script: x, env: {{ {numbers}, ALL: '${{N0}}' }}, {rules} }}")["a"]

    assert data["variables"] == {"N1": "a"}
    assert 'export ALL="$N0"' in data["script"]


def test_a_value_that_reads_a_later_variable_gets_the_one_of_the_environment() -> None:
    """As a variable of the job, the later one would be set before."""
    data = _generated("{ name: a, script: x, env: { FIRST: '${MODE}', MODE: fast, LAST: z } }")["a"]

    assert data["variables"] == {"LAST": "z"}
    assert data["script"] == ['export FIRST="$MODE"', "export MODE=fast", "x"]


@pytest.mark.parametrize(
    ("keys", "export"),
    [
        ("env: { BRANCH: '${CI_COMMIT_BRANCH}' }", 'export BRANCH="$CI_COMMIT_BRANCH"'),
        ("env: { BRANCH: '${setup.branch}' }", 'export BRANCH="$CI_COMMIT_BRANCH"'),
        ("env: { TITLE: '${CI_COMMIT_TITLE}/${CI_JOB_ID}' }", 'export TITLE="$CI_COMMIT_TITLE/$CI_JOB_ID"'),
        ("env: { FOLDER: '${CI_PROJECT_DIR}/$x' }", r'export FOLDER="$CI_PROJECT_DIR/\$x"'),
        ("env: { OWN: '${HOME}/${CI_JOB_ID}' }", 'export OWN="$HOME/$CI_JOB_ID"'),
        ("env: { GIT_DEPTH: '1' }", "export GIT_DEPTH=1"),
        ("env: { PATH: /bin }", "export PATH=/bin"),
        ("env: { PRICE: '$5' }", "export PRICE='$5'"),
        ('env: { TWO: "a\\nb" }', "export TWO='a\nb'"),
        ("env: { who: x }", "export who=x"),
        ("env: { V: '${setup.params.V}' }", 'export V="$V"'),
    ],
)
def test_other_values_are_exported_by_the_script(keys: str, export: str) -> None:
    """The runner reads the name, GitLab would expand the value, or the name has another meaning."""
    output = compiled(f"""
        inputs: {{ who: {{ default: me }} }}
        pipelines: {{ p: {{ stages: [{{ name: a, script: 'echo ${{inputs.who}}', {keys} }}] }} }}
    """)

    assert "variables" not in output.data["a"], output.text
    assert any(export in line for line in output.data["a"]["script"])


def test_constants_are_variables_beside_an_address_of_an_environment() -> None:
    """Writing the address to a file needs no export."""
    output = compiled("""
        pipelines:
          p:
            stages:
              - name: review
                env: { MODE: fast }
                script: [./deploy]
                outputs: { url: { command: cat url } }
                environment: { name: review, url: '${.url}' }
    """)

    assert output.data["review"]["variables"] == {"MODE": "fast"}
    assert "export MODE=fast" not in output.data["review"]["script"]
