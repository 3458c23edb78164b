"""The harness runs Declarative pipelines in the same order as Jenkins."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from engines.jenkins_harness import Build, UsernamePassword, available, run
from engines.requirement import require

Jenkins = Callable[..., Build]
Repository = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def jenkins(repository: Repository, tmp_path: Path) -> Jenkins:
    """Return a function that runs a pipeline block, given without its braces, on a repository."""
    require(available())

    def start(text: str, after: str = "", files: Mapping[str, str | bytes] | None = None, **settings: Any) -> Build:
        source = f"pipeline {{\n{text}\n}}\n{after}"
        return run(source, repository(files or {"README": "demo"}), workdir=tmp_path / "build", **settings)

    return start


def _statuses(build: Build) -> dict[str, str]:
    return {stage.name: stage.status for stage in build.stages}


def test_stages_after_a_failure_are_skipped(jenkins: Jenkins) -> None:
    """Including nested ones; the message of the failure is the build's."""
    build = jenkins(
        """
        agent none
        stages {
            stage('a') { steps { echo 'x' } }
            stage('b') { steps { error 'broken' } }
            stage('c') { stages { stage('d') { steps { echo '> d' } } } }
            stage('e') { parallel { stage('f') { steps { echo '> f' } } } }
        }
        """
    )

    assert _statuses(build) == {
        "a": "success", "b": "failed", "c": "skipped", "d": "skipped", "e": "skipped", "f": "skipped",
    }  # fmt: skip
    assert build.echoed() == []
    assert build.error is not None
    assert build.error.message == "broken"


def test_a_failing_branch_does_not_stop_its_sibling(jenkins: Jenkins) -> None:
    """Within a branch, the remaining stages are skipped."""
    build = jenkins(
        """
        agent none
        stages {
            stage('p') {
                parallel {
                    stage('a') {
                        stages {
                            stage('a1') { steps { error 'x' } }
                            stage('a2') { steps { echo '> a2' } }
                        }
                    }
                    stage('b') { steps { sleep 1\n echo '> b' } }
                }
            }
        }
        """
    )

    assert build.echoed() == ["b"]
    assert _statuses(build) == {"p": "failed", "a": "failed", "b": "success", "a1": "failed", "a2": "skipped"}
    assert build.stage("a1").branches == ("a",)


@pytest.mark.parametrize("where", ["failFast true", "options { parallelsAlwaysFailFast() }"])
def test_fail_fast_aborts_the_siblings(jenkins: Jenkins, where: str) -> None:
    """They run `post { aborted }`, and the build is a failure."""
    build = jenkins(
        f"""
        agent none
        {where if where.startswith("options") else ""}
        stages {{
            stage('p') {{
                {where if where.startswith("fail") else ""}
                parallel {{
                    stage('a') {{ steps {{ sleep 1\n error 'x' }} }}
                    stage('b') {{ steps {{ sleep 60 }}\n post {{ aborted {{ echo '> aborted' }} }} }}
                }}
            }}
        }}
        """
    )

    assert build.echoed() == ["aborted"]
    assert build.result == "FAILURE"
    assert build.stage("b").status == "aborted"


def test_post_conditions_run_in_jenkins_order(jenkins: Jenkins) -> None:
    """The order in the file does not matter; each condition has an `ordinal` in the plugin's sources."""
    conditions = "\n".join(
        f"{name} {{ echo '> {name}' }}"
        for name in ("cleanup", "unsuccessful", "unstable", "success", "failure", "aborted", "always", "changed")
    )
    build = jenkins(
        f"""
        agent none
        stages {{
            stage('good') {{ steps {{ echo 'x' }}\n post {{ {conditions} }} }}
            stage('bad') {{ steps {{ error 'x' }}\n post {{ {conditions} }} }}
        }}
        post {{ {conditions} }}
        """
    )
    good, bad = ["always", "changed", "success", "cleanup"], ["always", "changed", "unsuccessful", "failure", "cleanup"]

    assert build.echoed() == [*good, *bad, *bad]


def test_post_of_a_stage_uses_its_own_result(jenkins: Jenkins) -> None:
    """A sibling's failure does not count; a caught error does."""
    build = jenkins(
        """
        agent none
        stages {
            stage('p') {
                parallel {
                    stage('a') { steps { error 'x' } }
                    stage('b') { steps { sleep 1 }\n post { success { echo '> b' }\n failure { echo '> no' } } }
                }
                post { failure { echo "> p ${currentBuild.currentResult}" } }
            }
            stage('never') { steps { echo 'x' }\n post { always { echo '> no' } } }
        }
        """
    )

    assert build.echoed() == ["b", "p FAILURE"]


def test_a_failure_in_post_fails_the_stage(jenkins: Jenkins) -> None:
    """The other conditions still run."""
    build = jenkins(
        """
        agent none
        stages { stage('a') { steps { echo 'x' }\n post { always { error 'p' }\n cleanup { echo '> c' } } } }
        """
    )

    assert build.echoed() == ["c"]
    assert build.result == "FAILURE"


def test_when_skips_stages(jenkins: Jenkins) -> None:
    """For each kind of condition; the stages after a skipped one run."""
    conditions = {
        "expression { env.A == 'a' }": True,
        "environment name: 'A', value: 'b'": False,
        "branch 'release/*'": True,
        "branch 'main'": False,
        "allOf { branch 'release/*'\n environment name: 'A', value: 'b' }": False,
        "anyOf { branch 'main'\n environment name: 'A', value: 'a' }": True,
        "not { branch 'main' }": True,
        "equals expected: 2, actual: 1 + 1": True,
        "buildingTag()": False,
        "beforeAgent true\n expression { false }": False,
    }
    stages = "\n".join(
        f"stage('s{number}') {{ when {{ {text} }}\n steps {{ echo '> {number}' }} }}"
        for number, text in enumerate(conditions)
    )
    build = jenkins(f"agent none\nstages {{ {stages} }}", env={"A": "a", "BRANCH_NAME": "release/1"})

    assert build.echoed() == [str(number) for number, runs in enumerate(conditions.values()) if runs]
    assert [stage.status == "success" for stage in build.stages] == list(conditions.values())


def test_branch_is_false_outside_multibranch_jobs(jenkins: Jenkins) -> None:
    """Without BRANCH_NAME no branch matches, not even the built one."""
    build = jenkins("agent none\nstages { stage('a') { when { branch 'main' }\n steps { echo '> a' } } }")

    assert _statuses(build) == {"a": "skipped"}


def test_before_agent_evaluates_when_without_an_executor(jenkins: Jenkins) -> None:
    """Otherwise a false `when` first takes an agent."""
    build = jenkins(
        """
        agent none
        options { skipDefaultCheckout() }
        stages {
            stage('late') { agent any\n when { expression { false } }\n steps { echo 'x' } }
            stage('early') { agent any\n when { beforeAgent true\n expression { false } }\n steps { echo 'x' } }
        }
        """
    )

    assert build.stage("late").node == "built-in"
    assert build.stage("early").node is None


def test_environment_is_set_for_its_block(jenkins: Jenkins) -> None:
    """Values can use earlier ones and functions; those of a stage override; `env.X =` does not."""
    build = jenkins(
        """
        agent any
        options { skipDefaultCheckout() }
        environment { A = 'a'\n B = "${A}-b"\n C = name()\n D = '' }
        stages {
            stage('one') {
                environment { A = 'inner' }
                steps { sh 'echo "> $A $B $C ${D-unset}"' }
            }
            stage('two') {
                steps { script { env.A = 'set'\n env.E = 'e' }\n sh 'echo "> $A $E"' }
            }
        }
        """,
        after="String name() { return 'c' + 1 }",
    )

    assert build.echoed() == ["inner a-b c1 unset", "a e"]


def test_credentials_in_environment_are_set_and_masked(jenkins: Jenkins) -> None:
    """A user name and password give three variables."""
    build = jenkins(
        """
        agent any
        options { skipDefaultCheckout() }
        environment { KEY = credentials('pair') }
        stages { stage('a') { steps { sh 'echo "> $KEY $KEY_USR $KEY_PSW"\\necho "$KEY" >f'\n sh 'wc -c <f' } } }
        """,
        credentials={"pair": UsernamePassword("alice", "pass")},
    )

    assert build.echoed() == ["**** alice ****"]
    assert "11" in build.log.splitlines()


def test_agents_check_out_by_default(jenkins: Jenkins) -> None:
    """Each agent does, and returns the commit, unless `skipDefaultCheckout` is set."""
    build = jenkins(
        """
        agent any
        stages {
            stage('a') { steps { echo "> ${fileExists('file')} ${env.GIT_COMMIT.length()}" } }
            stage('b') { agent any\n options { skipDefaultCheckout() }\n steps { echo "> ${fileExists('file')}" } }
        }
        """,
        files={"file": ""},
    )

    assert build.echoed() == ["true 40", "false"]
    assert "Declarative: Checkout SCM" in _statuses(build)


def test_a_shell_step_without_agent_fails(jenkins: Jenkins) -> None:
    """With `agent none`, the message names the stage."""
    build = jenkins("agent none\nstages { stage('a') { steps { sh 'true' } } }")

    assert "stage a runs a step that needs an agent" in build.log


def test_matrix_runs_its_cells_in_parallel(jenkins: Jenkins) -> None:
    """Cells are branches with the axes as variables, except excluded ones."""
    build = jenkins(
        """
        agent none
        stages {
            stage('m') {
                matrix {
                    axes {
                        axis { name 'X'\n values 'a', 'b' }
                        axis { name 'Y'\n values '1', '2' }
                    }
                    excludes { exclude { axis { name 'X'\n values 'b' }\n axis { name 'Y'\n notValues '1' } } }
                    stages { stage('cell') { steps { sleep 1\n echo "> ${X}${Y}" } } }
                }
            }
        }
        """
    )
    cells = [stage for stage in build.stages if stage.name == "cell"]

    assert sorted(build.echoed()) == ["a1", "a2", "b1"]
    assert max(cell.start for cell in cells) < min(cell.end for cell in cells)
    assert cells[0].branches == ("Matrix - X = 'a', Y = '1'",)


def test_options_wrap_the_stage(jenkins: Jenkins) -> None:
    """A timeout aborts; with retry around it, the second attempt has no timeout, as measured on Jenkins."""
    build = jenkins(
        """
        agent none
        stages {
            stage('a') {
                options { retry(2)\n timeout(time: 1, unit: 'SECONDS') }
                steps { echo '> try'\n sleep 2\n echo '> passed' }
            }
            stage('b') {
                options { timeout(time: 1, unit: 'SECONDS') }
                steps { sleep 60 }
                post { aborted { echo '> aborted' } }
            }
        }
        """
    )

    assert build.echoed() == ["try", "try", "passed", "aborted"]
    assert build.result == "ABORTED"


def test_parameters_and_input_are_available(jenkins: Jenkins) -> None:
    """Declared defaults are in `params`; an answer to `input` becomes a variable of the stage."""
    build = jenkins(
        """
        agent none
        parameters { string(name: 'A', defaultValue: 'a') }
        stages {
            stage('a') {
                input { message 'go?'\n parameters { string(name: 'WHO', defaultValue: 'me') } }
                steps { echo "> ${params.A} ${env.WHO}" }
            }
        }
        """
    )

    assert build.echoed() == ["a me"]
    assert build.inputs == ("go?",)
