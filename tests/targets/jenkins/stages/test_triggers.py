"""Parameters of other jobs: Jenkins has those that are set when the build starts, scripts write the others."""

from __future__ import annotations

import pytest
from engines.sized import built


def _text(parameters: str, more: str = "", style: str = "declarative") -> str:
    """Return the file of a stage that starts a job with *parameters*, after a stage with an output."""
    inputs = "level: { choices: [quick, full], default: quick }, free: '', must: {}"
    inputs += ", version: { pattern: 'v[0-9]', default: v1 }"
    stages = f"""
      - {{ name: make, script: x, outputs: {{ id: {{ command: x }} }} }}
      - {{ name: go, trigger: {{ name: job, wait: true, parameters: {{ {parameters} }} }} {more} }}"""
    return built(f"inputs: {{ {inputs} }}\npipelines:\n  p:\n    stages:{stages}\n", style).text


@pytest.mark.parametrize("style", ["declarative", "scripted"])
@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("plain $text", "'plain $text'"),
        ("${setup.branch}", "env.PIPEGEN_BRANCH ?: ''"),
        ("${setup.tag|none}", "env.TAG_NAME ?: 'none'"),
        ("${inputs.level}", '"${params.level}"'),
        ("${inputs.free}", '"${params.free}"'),
        ("${inputs.must|x}", "\"${params.must}\" ?: 'x'"),
        ("${setup.pipeline}", "'p'"),
        ("${setup.commit}", "env.PIPEGEN_COMMIT ?: ''"),
        ("${setup.GIT_URL}", "env.PIPEGEN_GIT_URL ?: ''"),
    ],
)
def test_a_value_that_jenkins_has_takes_no_agent(value: str, expression: str, style: str) -> None:
    """Not even with another that a script would check: choices are checked by Jenkins."""
    text = _text(f"A: '{value}'", style=style)
    start = text[text.index("build job: 'job'") :]

    assert f"string(name: 'A', value: {expression})" in start
    assert "keep(" not in text
    assert ".pipegen/trigger" not in text


@pytest.mark.parametrize(
    "value",
    [
        *("${make.id}", "${setup.httpProxy}"),
        *("${inputs.must}", "${inputs.version}", "${inputs.level}-${make.id}"),
    ],
)
def test_other_values_are_written_by_the_script_of_the_stage(value: str) -> None:
    """They are outputs, those of a checkout or of an agent, and inputs that the script checks."""
    text = _text(f"A: x, B: '{value}', C: '${{setup.branch}}'")

    assert "keep(['trigger/go/1'])" in text
    assert "string(name: 'B', value: kept['trigger/go/1'])" in text
    assert "string(name: 'C', value: env.PIPEGEN_BRANCH ?: '')" in text
    assert text.count(".pipegen/trigger/go/") == 1


@pytest.mark.parametrize(
    "keys", ["when: { branch: main }", "allow_failure: true", "fetch: false", "approve: { optional: true }"]
)
def test_values_of_a_checkout_need_one_before_the_stage(keys: str) -> None:
    """The stage before may be skipped, may fail, or has none."""
    stages = f"""
      - {{ name: make, script: x, {keys} }}
      - {{ name: go, trigger: {{ name: job, parameters: {{ A: '${{setup.commit}}' }} }} }}"""
    text = built(f"pipelines:\n  p:\n    stages:{stages}\n", "scripted").text

    assert ".pipegen/trigger/go/0" in text


def test_variables_of_values_are_set_at_the_start() -> None:
    """Though no script reads them."""
    assert "PIPEGEN_BRANCH = branch()" in _text("A: '${setup.branch}'")
