"""Variables of the file that become inputs, and values of these that start no run."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import from_text, messages
from yaml_data import yaml_data

_VARIABLES = """\
variables:
  TAG: { value: "1.0", description: The tag }
  TARGET: { value: dev, options: [dev, prod], description: Where }
"""
_EXPANDED = 'values of "TAG" with "$", "%" or other characters than ASCII start no run of the config'
_OTHER = 'values of "TARGET" other than its options start no run of the config'


@pytest.mark.parametrize(
    ("keys", "reported"),
    [
        ("script: ['./test $TAG $TARGET']", []),
        ("image: app:$TAG, script: ./test", [_EXPANDED]),
        ("environment: $TARGET, script: ./test", [_OTHER]),
        ("image: app:$TAG, environment: $TARGET, script: ./test", [_EXPANDED, _OTHER]),
    ],
)
def test_values_that_start_no_run_of_the_config_are_reported(keys: str, reported: list[str], tmp_path: Path) -> None:
    """On GitLab, names contain any value, and only the form for new pipelines has no other values than the options."""
    _, report = from_text(f"{_VARIABLES}test: {{ {keys} }}\n", tmp_path)
    lines = [line for line in messages(report).splitlines() if "start no run" in line]

    assert len(lines) == len(reported)
    assert all(part in line for part, line in zip(reported, lines, strict=True))


def test_values_that_start_no_run_of_the_source_are_not_reported(tmp_path: Path) -> None:
    """A generated file has the rules of the config already."""
    first, _ = from_text(f"{_VARIABLES}test: {{ image: app:$TAG, environment: $TARGET, script: ./test }}\n", tmp_path)
    folder = tmp_path / "generated"
    folder.mkdir()
    _, report = from_text(first.generated[-1].text, folder)

    assert "start no run" not in messages(report)


def test_a_value_of_the_run_wins_over_the_variable_of_a_job(tmp_path: Path) -> None:
    """The generated file has it as a variable of the job, too; a script would export the value of the job."""
    variables = "variables: { MODE: { value: fast, description: The mode }, LEVEL: low }\n"
    jobs = "build: { script: make $MODE }\ntest: { script: make test, variables: { MODE: slow, LEVEL: high } }\n"
    result, _ = from_text(variables + jobs, tmp_path)
    generated = yaml_data(result.generated[-1].text)

    assert yaml_data(result.text)["pipelines"]["ci"]["stages"][1]["env"] == {"MODE": "slow", "LEVEL": "high"}
    assert generated["test"]["variables"] == {"MODE": "slow", "LEVEL": "high"}
    assert generated["test"]["script"] == ["make test"]


def test_axes_replace_raw_variables_of_the_file(tmp_path: Path) -> None:
    """Shells read `ENV`, so that it is no input and stays raw in other jobs."""
    variables = "variables: { ENV: { value: dev, description: Where to } }\n"
    jobs = "build: { script: make }\ntest: { script: make $ENV, parallel: { matrix: [{ ENV: [dev, prod] }] } }\n"
    result, _ = from_text(variables + jobs, tmp_path)
    build, test = yaml_data(result.text)["pipelines"]["ci"]["stages"]

    assert build["raw"] == {"gitlab": {"variables": {"ENV": "dev"}}}
    assert test["env"] == {"ENV": "${matrix.ENV}"}
    assert "raw" not in test
