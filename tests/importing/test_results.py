"""Reports, files and changes of a build that make a difference in a Jenkinsfile, but not in a config."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    stages {
        stage('test') {
            steps { sh 'make test' }
            post { always { %s } }
        }
    }
}
"""
_COMMANDS = "only the commands decide the result of a build: "
_UNSTABLE = 'failed tests in a "junit" report do not make it unstable'


def _messages(steps: str) -> str:
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _SOURCE % steps), report)
    return messages(report)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("junit 'a.xml'", f'{_UNSTABLE}, and missing files of "junit" do not fail it'),
        ("junit testResults: 'a.xml', allowEmptyResults: true", _UNSTABLE),
        ("junit testResults: 'a.xml', skipMarkingBuildUnstable: true", 'missing files of "junit" do not fail it'),
        ("archiveArtifacts 'a.jar'", 'missing files of "archiveArtifacts" do not fail it'),
        (
            "archiveArtifacts artifacts: 'a.jar', allowEmptyArchive: false; junit 'a.xml'; junit 'b.xml'",
            f'{_UNSTABLE}, and missing files of "archiveArtifacts", "junit" do not fail it',
        ),
    ],
)
def test_reports_and_files_that_decide_the_result_are_reported_once(steps: str, expected: str) -> None:
    """As `perform` of the classes JUnitResultArchiver and ArtifactArchiver decides."""
    reported = _messages(steps)

    assert reported.count(_COMMANDS) == 1
    assert _COMMANDS + expected + "\n" in f"{reported}\n"


@pytest.mark.parametrize(
    "steps",
    [
        "junit testResults: 'a.xml', allowEmptyResults: true, skipMarkingBuildUnstable: true",
        "archiveArtifacts artifacts: 'a.jar', allowEmptyArchive: true",
        "echo 'done'",
    ],
)
def test_steps_that_leave_the_result_alone_are_not_reported(steps: str) -> None:
    """Nor is a file without them."""
    assert _COMMANDS not in _messages(steps)


@pytest.mark.parametrize(
    ("step", "is_reported"),
    [
        ("unstable 'slow'", True),
        ("catchError { sh 'lint' }", True),
        ("catchError(buildResult: 'SUCCESS', stageResult: 'FAILURE') { sh 'lint' }", False),
        ("script { if (acme()) { unstable 'slow' } }", True),
        ("script { try { sh 'lint' } catch (error) { currentBuild.result = 'UNSTABLE' } }", True),
        ("script { if (currentBuild.result == 'FAILURE') { acme() } }", False),
        ("acmeStep()", False),
    ],
)
def test_a_result_that_decides_about_later_steps_is_reported(step: str, *, is_reported: bool) -> None:
    """`post { success }` of any later stage goes by the result of the build so far."""
    source = f"""\
pipeline {{
    agent any
    stages {{
        stage('lint') {{ steps {{ {step} }} }}
        stage('test') {{
            steps {{ sh 'make test' }}
            post {{ success {{ sh './announce' }} }}
        }}
    }}
}}
"""
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert ("not by the result that this step sets" in messages(report)) == is_reported


@pytest.mark.parametrize(
    "use",
    [
        "dir('x') { unstash 'n' }",
        "dir('x') { unstash(name: 'n') }",
        "script { if (env.JOB_NAME.contains('x')) { unstash name: 'n' } }",
        "deploy('x')",
    ],
)
def test_a_stash_that_groovy_reads_stays_groovy(use: str) -> None:
    """Files of earlier stages are at their paths, so that `dir` around the step stays Groovy."""
    report = Report()
    first = "stash name: 'n', includes: 'f'; stash name: 'other', includes: 'g'"
    last = "stage('last') { agent any; steps { unstash 'n'; unstash 'other'; sh 'cat f g' } }"
    stages = f"""\
        stage('a') {{ agent any; steps {{ sh 'make'; {first} }} }}
        stage('use') {{ agent any; steps {{ {use} }} }}
        {last}"""
    source = f"pipeline {{\n    agent none\n    stages {{\n{stages}\n    }}\n}}\n"
    function = "def deploy(String where) { node(where) { unstash 'n' } }\n"
    text = f"{function}{source}" if use.startswith("deploy") else source
    config = import_jenkins(SourceFile("Jenkinsfile", text), report).text

    assert "steps: { jenkins: [\"stash name: 'n', includes: 'f'\"], elsewhere: skip }" in config
    assert "artifacts: { paths: [g], keep: false }" in config
    assert "steps: { jenkins: { before: [unstash 'n'] }, elsewhere: skip }" in config
    assert '"stash" of stage "a" stays Groovy: an "unstash" of "n" stays Groovy' in messages(report)


@pytest.mark.parametrize("whole", ["", ", includes: '**'", ", includes: '**/*', excludes: '*.log'"])
def test_a_stash_of_the_whole_checkout_is_left_out_alone(whole: str) -> None:
    """A config refuses such artifacts, as they would contain the data of git; other files stay artifacts."""
    report = Report()
    steps = f"sh 'make'; stash name: 'all'{whole}; stash name: 'app', includes: 'dist/app'"
    use = "stage('use') { agent any; steps { unstash 'app'; sh './use' } }"
    stages = f"stage('build') {{ agent any; steps {{ {steps} }} }}\n        {use}"
    source = f"pipeline {{\n    agent none\n    stages {{\n        {stages}\n    }}\n}}\n"
    config = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert '"stash" is left out: artifacts cannot be the whole checkout' in messages(report)
    assert "artifacts: { paths: [dist/app], keep: false }" in config.text


@pytest.mark.parametrize("agent", ["any", "none"])
def test_an_unstable_build_that_fails_has_failed(agent: str) -> None:
    """Jenkins sets the result of a scripted build after its last step, and that of a declarative one before `post`."""
    steps = "steps { unstable 'bad'; sh 'make' }"
    stages = "".join(f"stage('{name}') {{ agent any; {steps} }}\n" for name in "ab")
    text = f"pipeline {{\nagent {agent}\nstages {{\n{stages}}}\npost {{ unstable {{ echo 'unstable' }} }}\n}}\n"
    text = text if agent == "none" else text.replace("agent any; ", "")
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "if (env.STATUS == 'success' && currentBuild.currentResult == 'UNSTABLE') {" in config


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("sh 'make'", ""),
        ("unstable 'bad'", "if (currentBuild.result == null)"),
        ("warnError('bad') { sh 'make' }", "if (currentBuild.result == null)"),
        ("script { currentBuild.result = 'UNSTABLE'; load 'x' }", "if (currentBuild.result == null)"),
    ],
)
def test_a_condition_on_the_result_stays_groovy_if_a_step_may_change_it(step: str, expected: str) -> None:
    """Other stages start only if the stages before succeed, so that the condition always holds."""
    when = "when { expression { currentBuild.result == null } }"
    stages = f"stage('a') {{ steps {{ {step} }} }}\nstage('b') {{ {when}; steps {{ sh './deploy' }} }}"
    text = f"pipeline {{\nagent any\nstages {{\n{stages}\n}}\n}}\n"
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert expected in config
    assert ("currentBuild.result ==" in config) is bool(expected)


@pytest.mark.parametrize(("options", "count"), [("timeout(time: 1, unit: 'HOURS')", 1), ("timestamps()", 0)])
def test_failures_after_timeouts_are_reported(options: str, count: int) -> None:
    """A timeout aborts a build in Jenkins (`TimeoutStepExecution`), and a stage of a config fails."""
    report = Report()
    stages = "".join(f"stage('{name}') {{ steps {{ sh 'make {name}' }} }}\n" for name in "ab")
    post = "post { failure { sh './tell' } }"
    text = f"pipeline {{\nagent any\noptions {{ {options} }}\nstages {{\n{stages}}}\n{post}\n}}\n"
    import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert messages(report).count('"failure" also runs after a timeout') == count


@pytest.mark.parametrize(
    ("step", "is_reported"),
    [
        ("warnError('bad')", True),
        ("catchError(buildResult: 'UNSTABLE', stageResult: 'FAILURE')", True),
        ("catchError(buildResult: 'SUCCESS', stageResult: 'UNSTABLE')", False),
    ],
)
def test_failures_that_make_the_build_unstable_are_reported(step: str, *, is_reported: bool) -> None:
    """`warnError` is `catchError` with the result UNSTABLE (`WarnErrorStep`)."""
    report = Report()
    text = f"pipeline {{\nagent any\nstages {{ stage('a') {{ steps {{ {step} {{ sh 'make' }} }} }} }}\n}}\n"
    config = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "allow_failure: true" in config.text
    assert ('makes the build unstable; with "allow_failure", it can still succeed' in messages(report)) is is_reported


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ('sh "./push app:${env.BRANCH_NAME}"; sh "./tag ${BRANCH_NAME}"', 1),
        ("sh './push app:$BRANCH_NAME'", 0),
        ("script { if (env.BRANCH_NAME == 'main') { sh './push' } }", 0),
    ],
)
def test_names_of_branches_are_reported_once(steps: str, count: int) -> None:
    """In Jenkins, BRANCH_NAME is v1 for a tag and PR-1 for a change request (`BranchNameContributor`)."""
    report = Report()
    text = f"pipeline {{\nagent any\nstages {{ stage('a') {{ steps {{ {steps} }} }} }}\n}}\n"
    import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert messages(report).count('Jenkinsfile:3:34: warning[PG850] "BRANCH_NAME" becomes') == count
    assert messages(report).count("BRANCH_NAME") == count


def test_changesets_are_reported_once() -> None:
    """Jenkins finds no changes without a build to compare with (`ChangeLogSet` of the first build is empty)."""
    report = Report()
    when = "when { changeset 'DIR/**' }; steps { sh 'make' }"
    stages = "\n".join(f"stage('{name}') {{ {when.replace('DIR', name)} }}" for name in ("a", "b"))
    import_jenkins(SourceFile("Jenkinsfile", f"pipeline {{\nagent any\nstages {{\n{stages}\n}}\n}}\n"), report)

    assert messages(report).count('"changeset" finds no changes in the first build of a branch') == 1


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ("sh 'make'; archiveArtifacts 'a'; sh 'make test'", 1),
        ("script { sh 'make'; archiveArtifacts 'a' }; build 'other'", 1),
        ("sh 'make'; archiveArtifacts 'a'; echo 'done'; junit 'b.xml'", 0),
        ("sh 'make'; stash name: 's', includes: 'a'; sh 'make test'", 0),
    ],
)
def test_files_that_are_kept_before_a_step_that_may_fail_are_reported(steps: str, count: int) -> None:
    """A stage of a config keeps its files at its end, where a later step may have failed."""
    report = Report()
    source = f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ {steps} }} }} }} }}"
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert messages(report).count("keeps before other steps are kept at the end of the stage") == count


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ('sh "make ${params.LEVEL} ${params.LEVEL}"', 1),
        ("echo params.LEVEL", 1),
        ('sh "make ${params.LEVEL} ${params.OTHER}"', 2),
        ('sh "make ${params.KNOWN}"', 0),
    ],
)
def test_parameters_without_a_declaration_are_reported(steps: str, count: int) -> None:
    """A generated file declares parameters that its config reads, so that they are empty and not null."""
    report = Report()
    source = (
        "pipeline { agent any; parameters { string(name: 'KNOWN') }; stages { stage('a') { steps { "
        + steps
        + " } } } }"
    )
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert messages(report).count('is "null" if the job has no such parameter') == count


@pytest.mark.parametrize(
    ("cleanup", "count"), [("sh 'make clean'", 1), ("sh 'make clean'; deploy()", 1), ("deleteDir()", 0)]
)
def test_a_cleanup_before_the_steps_after_a_failure_is_reported(cleanup: str, count: int) -> None:
    """Jenkins runs "cleanup" last, and a config its commands with the script."""
    report = Report()
    post = f"failure {{ deploy() }}\n cleanup {{ {cleanup} }}"
    source = f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ sh 'make' }}\n post {{ {post} }} }} }} }}"
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert messages(report).count('the commands in "cleanup" run before the steps in "failure"') == count


@pytest.mark.parametrize(
    ("always", "count"),
    [("sh 'make stop'", 1), ("sh 'make stop || true'", 0), ("sh script: 'x', returnStatus: true", 0), ("echo 'x'", 0)],
)
def test_a_cleanup_that_a_failure_skips_is_reported(always: str, count: int) -> None:
    """Jenkins runs "cleanup" in any case; the commands of a config are one script."""
    report = Report()
    post = f"always {{ {always} }}\n cleanup {{ sh 'make clean' }}"
    source = f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ sh 'make' }}\n post {{ {post} }} }} }} }}"
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert messages(report).count('in "cleanup" do not run after a failure of those in "always"') == count


def test_commands_follow_one_whose_status_nothing_reads() -> None:
    """A failure of a command in `after` ends these."""
    post = "always { sh script: './stop', returnStatus: true; sh './clean' }"
    source = f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ sh 'make' }}\n post {{ {post} }} }} }} }}"
    config = import_jenkins(SourceFile("Jenkinsfile", source), Report()).text

    assert "after: [./stop || true, ./clean]" in config


@pytest.mark.parametrize(
    ("step", "count"),
    [('tell "${currentBuild.result}"', 1), ('tell "${currentBuild.currentResult}"', 0)],
)
def test_a_result_that_is_not_yet_set_is_reported(step: str, count: int) -> None:
    """Steps in `success` of the pipeline run with the only stage."""
    report = Report()
    stages = "stages { stage('a') { steps { sh 'make' } } }"
    source = f"pipeline {{ agent any; {stages}\npost {{ success {{ {step} }} }} }}"
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert messages(report).count('"currentBuild.result" in "success" is null') == count


@pytest.mark.parametrize(
    ("command", "first", "second", "count"),
    [
        ("date +%s", "sh './a $NOW'", "sh './b $NOW'", 1),
        ("date +%s", "sh './a $NOW'; slackSend message: NOW", "sh './b'", 1),
        ("git rev-parse --short HEAD", "sh './a $NOW'", "sh './b $NOW'", 0),
        ("date +%s", "echo 'a'", "slackSend message: NOW", 0),
        ("date +%s", "echo 'a'", "withEnv([\"DAY=${NOW.take(8)}\"]) { sh './b $NOW $DAY' }", 0),
    ],
    ids=["stages", "steps of Jenkins", "the commit", "one reader", "a block"],
)
def test_commands_of_variables_that_run_again_are_reported(command: str, first: str, second: str, count: int) -> None:
    """Jenkins evaluates "environment" of the pipeline once."""
    environment = f"environment {{ NOW = sh(script: '{command}', returnStdout: true).trim() }}"
    stages = f"stage('A') {{ steps {{ {first} }} }}; stage('B') {{ steps {{ {second} }} }}"
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", f"pipeline {{ agent any; {environment}; stages {{ {stages} }} }}"), report)

    assert messages(report).count("commands that set variables run once") == count
