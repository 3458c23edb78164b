"""The harness runs scripts as Jenkins does: order, failures, time limits."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from engines.jenkins_harness import Build, Node, Stage, available, run
from engines.requirement import require

Jenkins = Callable[..., Build]


@pytest.fixture
def jenkins(repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path) -> Jenkins:
    """Give a function that runs the text of a Jenkinsfile on a repository with some files."""
    require(available())

    def start(text: str, files: Mapping[str, str | bytes] | None = None, **settings: Any) -> Build:
        return run(text, repository(files or {"README": "demo"}), workdir=tmp_path / "build", **settings)

    return start


def _said(build: Build) -> list[str]:
    """Return what the script printed with a leading `> `."""
    return [line.removeprefix("> ") for line in build.log.splitlines() if line.startswith("> ")]


def _overlap(one: Stage, other: Stage) -> bool:
    return one.start < other.end and other.start < one.end


def test_stages_are_recorded_in_order(jenkins: Jenkins) -> None:
    """Each stage has a start and an end, in the order in which they happened."""
    build = jenkins("stage('a') { stage('b') { echo 'x' } }\nstage('c') { echo 'y' }")

    assert [(event.kind, event.stage.name) for event in build.events] == [
        ("start", "a"), ("start", "b"), ("end", "b"), ("end", "a"), ("start", "c"), ("end", "c"),
    ]  # fmt: skip
    assert build.stage("b").parents == ("a",)
    assert build.result == "SUCCESS"


def test_parallel_branches_run_at_the_same_time(jenkins: Jenkins) -> None:
    """Two branches that sleep overlap, and each stage knows its branch."""
    build = jenkins("parallel a: { stage('a') { sleep 1 } }, b: { stage('b') { sleep 1 } }\nstage('c') {}")

    assert _overlap(build.stage("a"), build.stage("b"))
    assert build.stage("a").branches == ("a",)
    assert build.stage("c").start >= max(build.stage("a").end, build.stage("b").end)


def test_groovy_code_of_branches_takes_turns(jenkins: Jenkins) -> None:
    """As in Jenkins, branches switch at steps only, so that a counter needs no lock."""
    build = jenkins(
        """
        int count = 0
        def branches = [:]
        for (int i = 0; i < 8; i++) {
            branches["b${i}"] = { for (int n = 0; n < 20000; n++) { count = count + 1 } }
        }
        parallel branches
        echo "> ${count}"
        """
    )

    assert _said(build) == ["160000"]


def test_a_failure_ends_the_script_after_its_siblings(jenkins: Jenkins) -> None:
    """The sibling of a failing branch finishes; what comes after does not run."""
    build = jenkins(
        "parallel a: { stage('a') { error 'broken' } }, b: { stage('b') { sleep 1; echo '> b' } }\nstage('c') {}"
    )

    assert build.result == "FAILURE"
    assert _said(build) == ["b"]
    assert [(stage.name, stage.status) for stage in build.stages] == [("a", "failed"), ("b", "success")]
    assert build.error is not None
    assert build.error.message == "broken"


def test_fail_fast_stops_the_siblings(jenkins: Jenkins) -> None:
    """With failFast a sleeping sibling is aborted, and the build is a failure."""
    build = jenkins("parallel a: { sleep 1; error 'x' }, b: { stage('b') { node { sh 'sleep 60' } } }, failFast: true")

    assert build.result == "FAILURE"
    assert build.stage("b").status == "aborted"
    assert build.stage("b").end - build.stage("b").start < 30_000


def test_an_error_tells_the_line(jenkins: Jenkins) -> None:
    """The lines of the Jenkinsfile on the stack are in the log and in the result."""
    build = jenkins("def broken() {\n    null.foo()\n}\nstage('a') {\n    broken()\n}\n")

    assert build.error is not None
    assert build.error.lines[:2] == (2, 5)
    assert "WorkflowScript: line 2, 5" in build.log


def test_an_unknown_step_fails(jenkins: Jenkins) -> None:
    """A call of nothing that exists names itself."""
    build = jenkins("shell 'x'")

    assert "No such DSL method 'shell'" in build.log
    assert build.result == "FAILURE"


def test_an_unknown_argument_fails(jenkins: Jenkins) -> None:
    """A misspelt argument is no silent default."""
    build = jenkins("node { sh script: 'true', returnstdout: true }")

    assert "Unknown parameter(s) [returnstdout] for step sh" in build.log


def test_a_branch_waits_for_an_executor(jenkins: Jenkins) -> None:
    """One executor runs one branch after the other."""
    build = jenkins(
        "parallel a: { node { stage('a') { sleep 1 } } }, b: { node { stage('b') { sleep 1 } } }",
        nodes=[Node(executors=1)],
    )

    assert not _overlap(build.stage("a"), build.stage("b"))


def test_retry_counts_tries(jenkins: Jenkins) -> None:
    """A body that fails is run again, that often in all."""
    build = jenkins(
        "int n = 0\nretry(3) { n++; echo \"> ${n}\"; if (n < 2) { error 'x' } }\nretry(2) { echo '> no'; error 'y' }"
    )

    assert _said(build) == ["1", "2", "no", "no"]
    assert build.result == "FAILURE"


def test_a_timeout_ends_the_processes_and_aborts(jenkins: Jenkins) -> None:
    """The children of the script are told first; the build is aborted, and `catch` sees it."""
    build = jenkins(
        """
        node {
            try {
                timeout(time: 1, unit: 'SECONDS') { stage('a') { sh 'sleep 60' } }
            } catch (Exception e) {
                echo "> ${e.toString().tokenize('.:')[-2]}"
                throw e
            }
        }
        """
    )

    assert _said(build) == ["FlowInterruptedException"]
    assert build.result == "ABORTED"
    assert build.stage("a").status == "aborted"
    assert build.stage("a").end - build.stage("a").start < 20_000


def test_a_script_that_ends_well_when_told_to_stop_passes(jenkins: Jenkins) -> None:
    """The trap that generated files avoid: its last status is 0, so the timed-out stage passes."""
    build = jenkins("node { timeout(time: 1, unit: 'SECONDS') { sh '''#!/bin/sh\nsleep 60\ntrue''' }; echo '> on' }")

    assert _said(build) == ["on"]
    assert build.result == "SUCCESS"


def test_a_process_that_ignores_term_is_killed(jenkins: Jenkins) -> None:
    """After some patience comes KILL."""
    build = jenkins("node { timeout(time: 1, unit: 'SECONDS') { sh 'trap \"\" TERM; sleep 60' } }", patience=0.5)

    assert build.result == "ABORTED"
    assert build.stages == ()


def test_retry_tries_again_after_a_timeout_within(jenkins: Jenkins) -> None:
    """A timeout inside retry is a failure of that try; one outside ends all tries."""
    build = jenkins(
        """
        catchError { retry(2) { echo '> in'; timeout(time: 1, unit: 'SECONDS') { sleep 60 } } }
        timeout(time: 1, unit: 'SECONDS') { retry(2) { echo '> out'; sleep 60 } }
        """
    )

    assert _said(build) == ["in", "in", "out"]
    assert build.result == "ABORTED"


def test_caught_errors_mark_build_and_stage(jenkins: Jenkins) -> None:
    """`catchError`, `warnError` and `unstable` go on, and say what they mark."""
    build = jenkins(
        """
        stage('warned') { warnError('odd') { error 'x' } }
        stage('marked') { catchError(buildResult: 'UNSTABLE', stageResult: 'FAILURE') { error 'y' } }
        stage('unstable') { unstable 'z' }
        stage('fine') { catchError(buildResult: 'SUCCESS', stageResult: 'SUCCESS') { error 'w' } }
        echo "> ${currentBuild.currentResult}"
        """
    )

    assert [stage.status for stage in build.stages] == ["unstable", "failed", "unstable", "success"]
    assert _said(build) == ["UNSTABLE"]
    assert build.result == "UNSTABLE"


def test_a_stage_can_be_drawn_as_skipped(jenkins: Jenkins) -> None:
    """Utils is there, and its stage is a skip among the events."""
    build = jenkins(
        """
        import org.jenkinsci.plugins.pipeline.modeldefinition.Utils
        stage('a') { Utils.markStageSkippedForConditional('a') }
        """
    )

    assert [(event.kind, event.stage.name) for event in build.events] == [("skip", "a")]


def test_a_refused_input_aborts(jenkins: Jenkins) -> None:
    """Nobody approves."""
    build = jenkins("input 'go?'\necho '> on'", approve=False)

    assert _said(build) == []
    assert build.result == "ABORTED"


def test_a_lock_is_held_by_one(jenkins: Jenkins) -> None:
    """Two branches that want the same resource follow each other."""
    build = jenkins("parallel a: { lock('r') { stage('a') { sleep 1 } } }, b: { lock('r') { stage('b') { sleep 1 } } }")

    assert not _overlap(build.stage("a"), build.stage("b"))


def test_a_build_that_takes_too_long_is_aborted(jenkins: Jenkins) -> None:
    """The harness ends a build as a person would, and no process is left."""
    build = jenkins("node { sh 'sleep 271828' }", seconds=2)
    left = subprocess.run(["pgrep", "-f", "^sleep 271828$"], capture_output=True, check=False)

    assert build.result == "ABORTED"
    assert left.stdout == b""


def test_what_the_sandbox_rejects_does_not_start(jenkins: Jenkins) -> None:
    """The whole script is refused, with the line."""
    build = jenkins("echo '> started'\nnew File('x')")

    assert _said(build) == []
    assert "line 2: the sandbox does not permit new File" in build.log


@pytest.mark.parametrize("line", ["env[name]", "env[name] = 'x'"])
def test_an_index_into_the_environment_is_rejected(jenkins: Jenkins, line: str) -> None:
    """It is a method of Groovy's that takes any object, which no list of the sandbox permits."""
    build = jenkins(f"String name = 'A'\n{line}")

    assert build.result == "FAILURE"
    assert "At java.lang.Object java.lang.String" in build.log


def test_a_long_chain_and_deep_nesting_run(jenkins: Jenkins) -> None:
    """Hundreds of stages in a row, and sixty nested parallel blocks; a restart of the controller ends the second."""
    build = jenkins(
        """
        for (int i = 0; i < 300; i++) {
            stage("s${i}") { echo 'x' }
        }
        def nest(int depth) {
            if (depth < 60) {
                parallel a: { nest(depth + 1) }, b: { echo 'y' }
            } else {
                stage('deepest') {}
            }
        }
        nest(0)
        """
    )

    assert build.result == "SUCCESS"
    assert len(build.stages) == 301
    assert build.stage("deepest").branches == ("a",) * 60
    assert not build.is_resumable


def test_catch_error_leaves_the_stage_unmarked(jenkins: Jenkins) -> None:
    """By default the build fails, and the stage is drawn as a success."""
    build = jenkins("stage('a') { catchError { error 'x' } }\nstage('b') { echo '> b' }")

    assert _said(build) == ["b"]
    assert build.stage("a").status == "success"
    assert build.result == "FAILURE"


def test_the_worst_branch_decides(jenkins: Jenkins) -> None:
    """As in Jenkins, an aborted branch outweighs one that failed before it."""
    build = jenkins("parallel a: { error 'x' }, b: { timeout(time: 1, unit: 'SECONDS') { sleep 60 } }")

    assert build.result == "ABORTED"
