"""The harness runs scripts like Jenkins: order, failures, time limits."""

import subprocess
from collections.abc import Callable

import pytest
from engines.jenkins_harness import Build, Node, Stage

Jenkins = Callable[..., Build]


def _overlap(stage: Stage, other: Stage) -> bool:
    return stage.start < other.end and other.start < stage.end


def test_stages_are_recorded_in_order(jenkins: Jenkins) -> None:
    """Each stage has a start and an end, in chronological order."""
    build = jenkins("stage('a') { stage('b') { echo 'x' } }\nstage('c') { echo 'y' }")

    assert [(event.kind, event.stage.name) for event in build.events] == [
        ("start", "a"), ("start", "b"), ("end", "b"), ("end", "a"), ("start", "c"), ("end", "c"),
    ]  # fmt: skip
    assert build.stage("b").parents == ("a",)
    assert build.result == "SUCCESS"


def test_parallel_branches_overlap(jenkins: Jenkins) -> None:
    """Each stage has its branch."""
    build = jenkins("parallel a: { stage('a') { sleep 1 } }, b: { stage('b') { sleep 1 } }\nstage('c') {}")

    assert _overlap(build.stage("a"), build.stage("b"))
    assert build.stage("a").branches == ("a",)
    assert build.stage("c").start >= max(build.stage("a").end, build.stage("b").end)


def test_branches_switch_only_at_steps(jenkins: Jenkins) -> None:
    """As in Jenkins, so a counter needs no lock."""
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

    assert build.echoed() == ["160000"]


def test_a_failure_ends_the_script_after_its_siblings(jenkins: Jenkins) -> None:
    """The sibling of a failing branch completes; later code does not run."""
    build = jenkins(
        "parallel a: { stage('a') { error 'broken' } }, b: { stage('b') { sleep 1; echo '> b' } }\nstage('c') {}"
    )

    assert build.result == "FAILURE"
    assert build.echoed() == ["b"]
    assert [(stage.name, stage.status) for stage in build.stages] == [("a", "failed"), ("b", "success")]
    assert build.error is not None
    assert build.error.message == "broken"


def test_fail_fast_stops_the_siblings(jenkins: Jenkins) -> None:
    """With failFast a sleeping sibling is aborted, and the build is a failure."""
    build = jenkins("parallel a: { sleep 1; error 'x' }, b: { stage('b') { node { sh 'sleep 60' } } }, failFast: true")

    assert build.result == "FAILURE"
    assert build.stage("b").status == "aborted"
    assert build.stage("b").end - build.stage("b").start < 30_000


def test_an_error_has_the_lines_of_its_stack(jenkins: Jenkins) -> None:
    """In the log and in the result."""
    build = jenkins("def broken() {\n    null.foo()\n}\nstage('a') {\n    broken()\n}\n")

    assert build.error is not None
    assert build.error.lines[:2] == (2, 5)
    assert "WorkflowScript: line 2, 5" in build.log


def test_an_unknown_step_fails(jenkins: Jenkins) -> None:
    """The message names it."""
    build = jenkins("shell 'x'")

    assert "No such DSL method 'shell'" in build.log
    assert build.result == "FAILURE"


def test_an_unknown_argument_fails(jenkins: Jenkins) -> None:
    """A misspelled argument is not ignored."""
    build = jenkins("node { sh script: 'true', returnstdout: true }")

    assert "Unknown parameter(s) [returnstdout] for step sh" in build.log


def test_a_branch_waits_for_an_executor(jenkins: Jenkins) -> None:
    """With one executor, branches run one after the other."""
    build = jenkins(
        "parallel a: { node { stage('a') { sleep 1 } } }, b: { node { stage('b') { sleep 1 } } }",
        nodes=[Node(executors=1)],
    )

    assert not _overlap(build.stage("a"), build.stage("b"))


def test_retry_counts_attempts(jenkins: Jenkins) -> None:
    """The number includes the first attempt."""
    build = jenkins(
        "int n = 0\nretry(3) { n++; echo \"> ${n}\"; if (n < 2) { error 'x' } }\nretry(2) { echo '> no'; error 'y' }"
    )

    assert build.echoed() == ["1", "2", "no", "no"]
    assert build.result == "FAILURE"


def test_a_timeout_ends_the_processes_and_aborts(jenkins: Jenkins) -> None:
    """The script's children get the signal first; the build is aborted, and `catch` receives it."""
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

    assert build.echoed() == ["FlowInterruptedException"]
    assert build.result == "ABORTED"
    assert build.stage("a").status == "aborted"
    assert build.stage("a").end - build.stage("a").start < 20_000


def test_a_script_that_exits_with_0_on_a_signal_passes(jenkins: Jenkins) -> None:
    """Generated files avoid this trap: the stage passes despite its timeout."""
    build = jenkins("node { timeout(time: 3, unit: 'SECONDS') { sh '''#!/bin/sh\nsleep 60\ntrue''' }; echo '> on' }")

    assert build.echoed() == ["on"]
    assert build.result == "SUCCESS"


def test_a_process_that_ignores_term_is_killed(jenkins: Jenkins) -> None:
    """KILL follows after a grace period."""
    build = jenkins("node { timeout(time: 1, unit: 'SECONDS') { sh 'trap \"\" TERM; sleep 60' } }", patience=0.5)

    assert build.result == "ABORTED"
    assert build.stages == ()


def test_retry_repeats_after_an_inner_timeout(jenkins: Jenkins) -> None:
    """A timeout inside retry fails that attempt; one outside ends all attempts."""
    build = jenkins(
        """
        catchError { retry(2) { echo '> in'; timeout(time: 1, unit: 'SECONDS') { sleep 60 } } }
        timeout(time: 1, unit: 'SECONDS') { retry(2) { echo '> out'; sleep 60 } }
        """
    )

    assert build.echoed() == ["in", "in", "out"]
    assert build.result == "ABORTED"


def test_caught_errors_mark_build_and_stage(jenkins: Jenkins) -> None:
    """`catchError`, `warnError` and `unstable` continue, and log the result that they set."""
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
    assert build.echoed() == ["UNSTABLE"]
    assert build.result == "UNSTABLE"


def test_a_stage_can_be_marked_as_skipped(jenkins: Jenkins) -> None:
    """With Utils; the events contain the skip."""
    build = jenkins(
        """
        import org.jenkinsci.plugins.pipeline.modeldefinition.Utils
        stage('a') { Utils.markStageSkippedForConditional('a') }
        """
    )

    assert [(event.kind, event.stage.name) for event in build.events] == [("skip", "a")]


def test_a_rejected_input_aborts_the_build(jenkins: Jenkins) -> None:
    """No person approves it."""
    build = jenkins("input 'go?'\necho '> on'", approve=False)

    assert build.echoed() == []
    assert build.result == "ABORTED"


def test_a_lock_is_exclusive(jenkins: Jenkins) -> None:
    """Two branches with the same resource run one after the other."""
    build = jenkins("parallel a: { lock('r') { stage('a') { sleep 1 } } }, b: { lock('r') { stage('b') { sleep 1 } } }")

    assert not _overlap(build.stage("a"), build.stage("b"))


def test_a_build_that_takes_too_long_is_aborted(jenkins: Jenkins) -> None:
    """Like an abort by a person; no process remains."""
    build = jenkins("node { sh 'sleep 271828' }", seconds=2)
    left = subprocess.run(["pgrep", "-f", "^sleep 271828$"], capture_output=True, check=False)

    assert build.result == "ABORTED"
    assert left.stdout == b""


def test_a_script_that_the_sandbox_rejects_does_not_start(jenkins: Jenkins) -> None:
    """The error has the line."""
    build = jenkins("echo '> started'\nnew File('x')")

    assert build.echoed() == []
    assert "line 2: the sandbox does not permit new File" in build.log


@pytest.mark.parametrize("line", ["env[name]", "env[name] = 'x'"])
def test_an_index_into_the_environment_is_rejected(jenkins: Jenkins, line: str) -> None:
    """It calls a Groovy method on any object, which no sandbox list permits."""
    build = jenkins(f"String name = 'A'\n{line}")

    assert build.result == "FAILURE"
    assert "At java.lang.Object java.lang.String" in build.log


def test_a_long_chain_and_deep_nesting_run(jenkins: Jenkins) -> None:
    """Hundreds of stages in sequence, and sixty nested parallel blocks; a controller restart ends the second."""
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


def test_catch_error_fails_the_build_but_not_the_stage(jenkins: Jenkins) -> None:
    """This is the default."""
    build = jenkins("stage('a') { catchError { error 'x' } }\nstage('b') { echo '> b' }")

    assert build.echoed() == ["b"]
    assert build.stage("a").status == "success"
    assert build.result == "FAILURE"


@pytest.mark.parametrize("failure", ["error 'x'", "node { sh 'exit 1' }"])
def test_a_failed_branch_outweighs_an_aborted_one(jenkins: Jenkins, failure: str) -> None:
    """As `ThrowableComparator` in ParallelStep.java of workflow-cps: an interruption is less severe than any error."""
    build = jenkins(f"parallel a: {{ sleep 2; {failure} }}, b: {{ timeout(time: 1, unit: 'SECONDS') {{ sleep 60 }} }}")

    assert build.result == "FAILURE"


def test_an_aborted_branch_outweighs_an_unstable_one(jenkins: Jenkins) -> None:
    """Results of builds only become worse."""
    build = jenkins("parallel a: { unstable 'x' }, b: { timeout(time: 1, unit: 'SECONDS') { sleep 60 } }")

    assert build.result == "ABORTED"
