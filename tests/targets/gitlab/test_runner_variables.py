"""Variables that only GitLab's runner reads, and that scripts set too late."""

from __future__ import annotations

import pytest
from targets.gitlab.compiled import compiled


def _reported(keys: str) -> list[str]:
    output = compiled(f"pipelines: {{ p: {{ stages: [{{ name: a, {keys} }}] }} }}")
    return [at for code, at in output.codes() if code == "PG697"]


@pytest.mark.parametrize(
    "keys",
    [
        "env: { GIT_DEPTH: '1' }, script: [x]",
        "env: { GIT_DEPTH: '1', FF_USE_FASTZIP: 'true' }, script: ['echo $GIT_DEPTH $FF_USE_FASTZIP_2']",
        "env: { GIT_DEPTH: '1' }, script: [x], matrix: { m: [b, c] }",
        "cases: [{ when: { branch: main }, env: { KUBERNETES_CPU_LIMIT: '${N}' } }], env: { N: '1' }, script: [x]",
    ],
)
def test_variables_that_only_the_runner_reads_are_reported(keys: str) -> None:
    """It reads them before the script: https://docs.gitlab.com/ci/runners/configure_runners/."""
    assert len(_reported(keys)) == 1


@pytest.mark.parametrize(
    "keys",
    [
        "env: { GIT_DEPTH: '1' }, script: ['git clone --depth $GIT_DEPTH x']",
        "env: { GIT_DEPTH: '1' }, script: [x], after: ['echo $GIT_DEPTH']",
        "env: { GIT_SSH_COMMAND: ssh -v, GIT_LFS_SKIP_SMUDGE: '1', GIT_CONFIG_COUNT: '0' }, script: [git fetch]",
        "env: { FF_NEW_CHECKOUT: 'true', KUBERNETES_POD_NAME: p }, script: [x]",  # flags of the project
        "env: { GIT_DEPTH: '1' }, script: [x], raw: { gitlab: { variables: { GIT_DEPTH: '1' } } }",
    ],
)
def test_variables_that_scripts_programs_or_raw_keys_use_are_not_reported(keys: str) -> None:
    """Git reads some of them, too: https://git-scm.com/docs/git#_environment_variables."""
    assert _reported(keys) == []


def test_a_stage_that_sets_how_bash_runs_its_script_keeps_its_value() -> None:
    """Exit codes in `allow_failure` set the variable for other stages."""
    keys = "allow_failure: { exit_codes: 3 }, script: [x]"
    own = "runner_variables: { FF_USE_NEW_BASH_EVAL_STRATEGY: '1' }"
    output = compiled(f"pipelines: {{ p: {{ stages: [{{ name: a, {keys} }}, {{ name: b, {keys}, {own} }}] }} }}")

    values = [output.data[job]["variables"]["FF_USE_NEW_BASH_EVAL_STRATEGY"] for job in "ab"]
    assert values == ["true", "1"]
