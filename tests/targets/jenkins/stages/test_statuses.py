"""Statuses of stages in the variables of finally stages."""

from __future__ import annotations

import pytest
from engines.sized import built

_PIPELINE = "PIPEGEN_STATUS=${currentBuild.resultIsBetterOrEqualTo('UNSTABLE') ? 'success' : 'failed'}"
_OWN = _PIPELINE.removeprefix("PIPEGEN_")


def _lines(keys: str, style: str = "declarative") -> list[str]:
    """Return the unindented lines of the file of a pipeline with a finally stage with *keys*."""
    stages = f"[{{ name: make, script: x }}, {{ name: tell, {keys} }}]"
    text = built(f"pipelines: {{ p: {{ stages: {stages}, finally: [tell] }} }}\n", style).text
    return [line.strip() for line in text.splitlines()]


def test_a_variable_that_is_only_a_status_is_set_by_jenkins() -> None:
    """The script exports the others."""
    lines = _lines("script: ./tell $STATUS, env: { STATUS: '${pipeline.status}', TEXT: 'is ${STATUS}' }")

    assert f'withEnv(["{_OWN}"]) {{' in lines
    assert lines[lines.index("sh '''") + 1] == 'export TEXT="is $STATUS"'


@pytest.mark.parametrize(
    ("keys", "variables"),
    [
        ("script: './tell ${pipeline.status}', env: { STATUS: '${pipeline.status}' }", f'"{_PIPELINE}", "{_OWN}"'),
        ("script: ./tell, env: { STATUS: 'is ${pipeline.status}' }", f'"{_PIPELINE}"'),
        ("script: ./tell, env: { PATH: '${pipeline.status}' }", f'"{_PIPELINE}"'),
    ],
)
def test_scripts_read_other_statuses_from_a_variable_of_pipegen(keys: str, variables: str) -> None:
    """Also those of names that Jenkins or the shell read."""
    assert f"withEnv([{variables}]) {{" in _lines(keys)


def test_a_scripted_file_sets_the_status_of_a_stage_in_the_same_way() -> None:
    """There is no other variable."""
    lines = _lines("script: ./tell, env: { MADE: '${make.status}' }", style="scripted")

    assert "withEnv([\"MADE=${status('make')}\"]) {" in lines
    assert "sh './tell'" in lines
