"""Steps of a Jenkinsfile whose arguments decide whether a command can do the same."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.importing.jenkins.stages.directives.secrets import kind_of
from pipegen.importing.jenkins.stages.shell_text import may_fail_unnoticed
from pipegen.source.text import SourceFile

_SOURCE = "pipeline {\n    agent any\n    stages {\n        stage('A') { steps { STEP } }\n    }\n}\n"


@pytest.mark.parametrize(
    ("step", "command", "reason"),
    [
        ("sleep 5", "sleep 5", ""),
        ("sleep time: 2, unit: 'MINUTES'", "sleep 120", ""),
        ("sleep time: 500, unit: 'MILLISECONDS'", "", "a command sleeps for whole seconds"),
        ("sleep time: 5, unit: unit()", "", "a command sleeps for whole seconds"),
        ("writeFile file: 'a', text: 'b', encoding: 'utf-8'", "printf %s b >a", ""),
        ("writeFile file: 'a', text: 'Yg==', encoding: 'Base64'", "", "a command writes UTF-8"),
    ],
)
def test_a_step_is_a_command_if_it_does_the_same(step: str, command: str, reason: str) -> None:
    """Otherwise, it stays Groovy."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), report)

    assert (f"script: [{command}]" if command else step) in result.text
    assert ("steps:" in result.text) is not bool(command)
    assert messages(report).partition("stays Groovy: ")[2].strip() == reason


@pytest.mark.parametrize(
    ("label", "text", "reason"),
    [
        ("'Make it'", "# Make it\n          - make", ""),
        ("''", "script: [make]", ""),
        ('"for ${env.A}"', "script: [make]", '"label" of "sh" is left out'),
    ],
)
def test_a_label_of_a_step_is_a_comment_of_its_command(label: str, text: str, reason: str) -> None:
    """A label with values of the run is left out, which is reported."""
    report = Report()
    result = import_jenkins(
        SourceFile("Jenkinsfile", _SOURCE.replace("STEP", f"sh label: {label}, script: 'make'")), report
    )

    assert text in result.text
    assert messages(report).partition("warning[PG850] ")[2].strip() == reason


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("'a b'", '(mkdir -p "a b" && cd "a b" && make)'),
        ('"${params.A}/b"', '(mkdir -p "${setup.params.A}/b" && cd "${setup.params.A}/b" && make)'),
        ('"${env.WORKSPACE}/b"', "(mkdir -p b && cd b && make)"),
        ("'$A;b'", '(mkdir -p "\\$A;b" && cd "\\$A;b" && make)'),
    ],
)
def test_a_folder_is_one_word(folder: str, command: str) -> None:
    """The step `dir` takes its text as it is, and only Groovy replaces values in it."""
    report = Report()
    result = import_jenkins(
        SourceFile("Jenkinsfile", _SOURCE.replace("STEP", f"dir({folder}) {{ sh 'make' }}")), report
    )
    proof = prove_stages(result)

    assert command in result.text.replace('\\"', '"').replace("\\\\", "\\")
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("folder", "script"),
    [
        ('"${env.WORKSPACE}/b"', "(mkdir -p b && cd b && make)"),
        ("'b'", "(mkdir -p a/b && cd a/b && make)"),
        ('"${env.OTHER}/b"', ""),
    ],
)
def test_a_folder_in_a_folder_stays_groovy_if_it_may_be_absolute(folder: str, script: str) -> None:
    """The inner path counts from the outer folder only if it is relative."""
    steps = f"dir('a') {{ dir({folder}) {{ sh 'make' }} }}"
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", steps)), Report())

    assert script in result.text
    assert ("steps:" in result.text) is not bool(script)


def test_an_if_on_a_value_that_is_left_out_is_left_out() -> None:
    """Nothing sets the parameter of an `input`, so a command would always find it empty."""
    stage = "stage('A') { input { message 'x'; parameters { string(name: 'LEVEL') } }; steps { STEPS } }"
    steps = "script { if (LEVEL == 'full') { sh 'make' } }; sh 'make test'"
    report = Report()
    text = f"pipeline {{ agent any; stages {{ {stage.replace('STEPS', steps)} }} }}"
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "script: [make test]" in result.text
    assert '"script" is left out: it reads "LEVEL", which no Groovy of the config sets' in messages(report)


@pytest.mark.parametrize(
    "text",
    [
        "make && make install",
        "make || make && make install",
        "! grep x a",
        "make\nmake a &&\n  make b",
        "make && \\\n  make b",
        "if [ -f a ]; then\n  make a && make b\nfi",
        "make && cat <<EOF\na\nEOF",
    ],
)
def test_a_shell_goes_on_after_some_failures(text: str) -> None:
    """Such as that of a command before `&&`, although the shell stops at errors."""
    assert may_fail_unnoticed(text)


@pytest.mark.parametrize(
    "text",
    [
        "make && make install || true",
        "make && make a; make b",
        "make 2>&1",
        "make &",
        "(make && make install)",
        "echo $(make && make a)",
        "echo 'a && b'",
        'echo "a && b"',
        "make # a && b",
        "[[ -f a && -f b ]]",
        "if [ -f a ]; then\n  make a\nfi",
    ],
)
def test_a_shell_stops_at_most_failures(text: str) -> None:
    """The last part of a list decides, and that of a group."""
    assert not may_fail_unnoticed(text)


def test_a_failure_of_each_step_ends_the_script() -> None:
    """The last command of a script decides its result in any case."""
    steps = "sh 'make a && make b'; sh '! grep x a'; sh 'make c && make d'"
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", steps)), Report())
    proof = prove_stages(result)

    assert "script: [(make a && make b), (! grep x a), make c && make d]" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_a_value_that_no_command_prints_is_the_reason_for_groovy() -> None:
    """It is one in each stage, whatever its name."""
    report = Report()
    source = _SOURCE.replace("'A'", "'A b'").replace("STEP", "script { image = docker.build('a') }")
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert "it contains Groovy: docker.build('a')" in messages(report)


_AWS = "[$class: 'AmazonWebServicesCredentialsBinding', credentialsId: 'aws']"


@pytest.mark.parametrize(
    ("step", "script", "is_around"),
    [
        ("withCredentials([AWS]) { sh './push' }", "./push", True),
        ("dir('a') { withCredentials([AWS]) { sh './push' } }", "(mkdir -p a && cd a && ./push)", True),
        ("sh 'make'; withCredentials([AWS]) { sh './push' }", "make", False),
    ],
)
def test_credentials_that_are_no_secrets_are_around_all_steps(step: str, script: str, *, is_around: bool) -> None:
    """Around some of the steps, they stay Groovy with these."""
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step.replace("AWS", _AWS))), report)
    reason = 'a config has no secret of the kind "AmazonWebServicesCredentialsBinding"'

    assert f"script: [{script}]" in result.text
    assert f"withCredentials([{_AWS}])" in result.text.replace("''", "'")
    assert ("around:" in result.text) is is_around
    assert f'"withCredentials" of stage "A" stays Groovy: {reason}' in messages(report)


def test_steps_after_a_stage_can_be_in_the_block_of_its_credentials() -> None:
    """The block only sets variables."""
    step = f"withCredentials([{_AWS}]) {{ sh './push' }} }}\n    post {{ always {{ recordIssues tools: [java()] }}"
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), report)

    assert "recordIssues tools: [java()]" in result.text
    assert "left out" not in messages(report)


@pytest.mark.parametrize(
    ("head", "is_around"),
    [
        ('withSonarQubeEnv("${env.SERVER}")', True),
        ("withAWS(role: \"arn:${env.ACCOUNT}:deploy\", region: 'eu')", True),
        ("acmeRetry({ it.isLost() })", False),
        ("acmeEnv(servers.collect { it.name })", False),
        ("servers.each", False),
    ],
)
def test_a_block_with_values_in_texts_is_around_all_steps(head: str, *, is_around: bool) -> None:
    """One with a closure among its arguments stays Groovy with its steps."""
    source = _SOURCE.replace("STEP", f"{head} {{ sh './push' }}")
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())
    proof = prove_stages(result)

    assert head in result.text.replace("''", "'")
    assert ("around:" in result.text) is is_around
    assert ("script: [./push]" in result.text) is is_around
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize("head", ["sshagent(['key'])", "withSonarQubeEnv('https://sonar.example.org')"])
def test_a_block_may_begin_on_a_line_of_its_own(head: str) -> None:
    """Groovy takes it for the block of the step before, and a config has it on the line of the step."""
    report = Report()
    steps = f"sh 'make'\n        {head}\n        {{ sh './push' }}"
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", steps)), report)

    assert f"{head} {{ sh './push' }}" in result.text
    assert "left out" not in messages(report)


@pytest.mark.parametrize(
    ("section", "kept"),
    [
        ("steps { sh './a'; sh 'if true' }", "jenkins: [sh './a', sh 'if true']"),
        ("steps { sh './a' }; post { always { sh 'echo \\'b' } }", "always: [sh 'echo \\'b'"),
    ],
)
def test_steps_that_no_shell_can_parse_stay_groovy(section: str, kept: str) -> None:
    """A config with such a script does not compile."""
    report = Report()
    source = _SOURCE.replace("steps { STEP }", section)
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert kept in result.text.replace('"', "")
    assert "script:" not in result.text
    assert "sh cannot parse this script" in messages(report)
    assert result.generated


def test_steps_after_the_pipeline_that_no_shell_can_parse_stay_groovy() -> None:
    """They are in a stage of the config that the source does not have, or in its only stage."""
    stages = _SOURCE.replace("STEP", "sh './a'").replace("    }\n}", "STAGE\n    }\n    post { always { sh 'if' } }\n}")
    several = import_jenkins(
        SourceFile("Jenkinsfile", stages.replace("STAGE", "stage('B') { steps { x() } }")), Report()
    )
    one = import_jenkins(SourceFile("Jenkinsfile", stages.replace("STAGE", "")), Report())

    assert "{ name: always, steps: { jenkins: [sh 'if'], elsewhere: skip } }" in several.text
    assert "always: [sh 'if']" in one.text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('"${e.message} \\${e.x}"', '"${ e.message} \\$\\u007be.x}"'),
        ("'${e.message}'", "'$\\u007be.message}'"),
        ('"${setup.message}"', '"${ setup.message}"'),
        ('"${f.message}"', '"${f.message}"'),
    ],
)
def test_groovy_reads_no_references(text: str, kept: str) -> None:
    """A config refuses steps that look as if they read a value of the stage "e"; comments about them stay."""
    report = Report()
    steps = f"\n// For all\nscript {{ try {{ x() }} catch (e) {{ tell {text} }} }}\n"
    source = _SOURCE.replace("STEP", steps).replace("'A'", "'e'")
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)
    proof = prove_stages(result)

    assert f"tell {kept}" in result.text
    assert "# For all" in result.text
    assert "left out" not in messages(report)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ('echo "${env.OTHER}"', 'echo "${OTHER:-null}"'),
        ('sh "make ${env.OTHER}"', "make ${OTHER:-null}"),
        ("echo \"${env.OTHER ?: 'x'}\"", 'echo "${OTHER:-x}"'),
        ('echo "${env.JOB_NAME} ${env.STAGE_NAME}"', 'echo "${JOB_NAME} ${STAGE_NAME}"'),
        ("withEnv(['OTHER=x']) { echo \"${env.OTHER}\" }", 'echo "${OTHER}"'),
        ("withEnv(['OTHER=']) { echo \"${env.OTHER}\" }", "echo null"),
    ],
)
def test_a_variable_that_nothing_sets_is_null(step: str, command: str) -> None:
    """Groovy writes it into the text; a variable that Jenkins or the file sets has a value."""
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), Report())

    assert [each.text for each in result.config.drafts[0].work.commands] == [command]


def test_a_variable_with_one_that_nothing_sets_is_reported() -> None:
    """A variable of a config has no text in place of an empty value."""
    report = Report()
    source = _SOURCE.replace("agent any", 'agent any\nenvironment { A = "${env.OTHER}/a"; B = "${env.JOB_NAME}/${A}" }')
    result = import_jenkins(SourceFile("Jenkinsfile", source.replace("STEP", "sh 'make'")), report)

    assert 'A: "${OTHER}/a"' in result.text
    assert messages(report).count("if nothing sets it") == 1
    assert '"env.OTHER" in the value of A is "null" if nothing sets it; here it is empty' in messages(report)


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ('echo "${env.PLACE}"', "printf '%s\\n' \"${PLACE}\""),
        ('echo "${params.FOLDER}"', "printf '%s\\n' \"${inputs.FOLDER}\""),
        ('echo "${params.KIND}"', "printf '%s\\n' \"${inputs.KIND}\""),
        ('echo "${params.NAME}"', 'echo "${inputs.NAME}"'),
        ('echo "${env.BUILD}"', "printf '%s\\n' \"${BUILD}\""),
        ('echo "${env.INNER}"', "printf '%s\\n' \"${INNER}\""),
        ('error "${env.PLACE}"', "printf '%s\\n' \"${PLACE}\" >&2\nexit 1"),
    ],
)
def test_values_with_backslashes_are_printed_as_they_are(step: str, command: str) -> None:
    """`echo` of some shells replaces backslashes."""
    settings = (
        'agent any\nenvironment { PLACE = \'C:\\\\new\'; BUILD = "C:\\\\n${EXECUTOR_NUMBER}"; INNER = "${BUILD}/x" }\n'
        "parameters { string(name: 'NAME', defaultValue: 'x')\n"
        "string(name: 'FOLDER', defaultValue: 'a\\\\tb'); choice(name: 'KIND', choices: ['a', 'b\\\\n']) }"
    )
    source = _SOURCE.replace("STEP", step).replace("agent any", settings)
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert [each.text for each in result.config.drafts[0].work.commands] == [command]


@pytest.mark.parametrize(
    ("script", "command"),
    [
        (r"a \\\\ #  b", r"a \\#b"),
        (r"a \\ #  b", r"a \ #b"),
        (r"a \\#  b", r"a \#b"),
    ],
)
def test_backslashes_at_the_ends_of_lines_stay_what_they_are(script: str, command: str) -> None:
    """A blank after one is a word, and not the end of a line that goes on; each # is a line break here."""
    step = f"sh '''{script}'''".replace("#", "\n")
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), Report())
    proof = prove_stages(result)

    assert [each.text for each in result.config.drafts[0].work.commands] == [command.replace("#", "\n")]
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize("text", ['$/"$NAME"/$', "/x ${NAME}/", '"""$NAME"""'])
def test_groovy_around_the_pipeline_stays_if_a_text_reads_it(text: str) -> None:
    """Texts between slashes contain values, too."""
    source = f"NAME = call()\n{_SOURCE.replace('STEP', f'tell {text}')}"
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "definitions: NAME = call()" in result.text


def test_an_agent_in_parentheses_is_reported() -> None:
    """Jenkins accepts a closure as an argument of the directive."""
    report = Report()
    source = _SOURCE.replace("agent any", "agent({ label 'fast' })").replace("STEP", "sh 'make'")
    import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert '"agent" is left out' in messages(report)


@pytest.mark.parametrize(
    ("start", "expected"),
    [("", "shell: bash script: - |- set +e a b"), ("\n  ", "script: - |- a b"), (" ", "script: - |- a b")],
)
def test_only_the_first_characters_of_a_script_name_a_program(start: str, expected: str) -> None:
    """Jenkins runs another script in `sh -xe`, for which the line is a comment."""
    step = f"sh '''{start}#!/bin/bash\n  a\n  b'''"
    result = import_jenkins(SourceFile("Jenkinsfile", _SOURCE.replace("STEP", step)), Report())
    proof = prove_stages(result)

    assert f"name: A {expected}" in " ".join(result.text.split())
    assert proof is not None
    assert proof.differences == ()


def test_the_kind_of_a_credential_of_all_stages_is_searched_once() -> None:
    """The search goes over the whole file."""
    stages = "".join(f"stage('s{number}') {{ steps {{ sh \"./a ${{A_USR}} {number}\" }} }}\n" for number in range(9))
    source = f"pipeline {{ agent any; environment {{ A = credentials('a') }}\nstages {{\n{stages}}} }}"
    kind_of.cache_clear()

    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "A: { password: a }" in result.text
    assert kind_of.cache_info().misses == 1


@pytest.mark.parametrize(("kind", "is_kept"), [("docker", True), ("dockerfile", True), ("kubernetes", False)])
def test_the_label_of_an_agent_stays_without_its_container(kind: str, is_kept: bool) -> None:  # noqa: FBT001 - a case
    """That of a pod is only its name."""
    options = "image IMAGE.trim()\nfilename FILE.trim()\nyaml YAML.trim()\nlabel 'large'"
    agent = f"agent {{ {kind} {{\n{options}\n}} }}"
    report = Report()
    source = _SOURCE.replace("agent any", agent).replace("STEP", "sh 'make'")
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert f'"{kind}" is left out' in messages(report)
    assert ("agent: large" in result.text) is is_kept


def test_a_parameter_with_a_blank_before_its_parentheses_has_them_once() -> None:
    """It stays Groovy, because an input cannot have this name."""
    parameters = "agent any\nparameters { string (name: 'GIT_COMMIT_TO_USE', defaultValue: '') }"
    source = _SOURCE.replace("agent any", parameters).replace("STEP", "sh 'make'")
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "string(name: 'GIT_COMMIT_TO_USE', defaultValue: '')" in result.text


def test_the_workspace_is_the_folder_of_the_steps() -> None:
    """A `deleteDir` in it is one of the workspace, whose checkout each stage gets."""
    source = (
        "pipeline { agent any; stages {\n"
        "stage('clean') { steps { dir(\"${WORKSPACE}\") { deleteDir() } } }\n"
        "stage('checkout') { steps { checkout scm } }\n"
        "stage('a') { steps { dir(env.WORKSPACE) { sh 'make' } } }\n"
        "stage('b') { steps { dir('x') { dir(\"${env.WORKSPACE}/app\") { sh 'make' } } } }\n"
        "} }\n"
    )
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "rm -rf" not in result.text
    assert "script: [make]" in result.text
    assert "cd app && make" in result.text
