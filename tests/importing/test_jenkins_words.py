"""Values that Groovy inserts into commands as words: a shell splits the values of parameters and of other stages."""

from __future__ import annotations

import pytest

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_PARAMETERS = """\
pipeline {
    agent any
    parameters { PARAMETER }
    stages { stage('build') {
        ENVIRONMENT
        steps { sh "STEP" } } }
}
"""
_VALUES = """\
pipeline {
    agent any
    stages {
        stage('changes') { steps { script { changed = sh(script: './changes', returnStdout: true).trim() } } }
        stage('lint') { steps { sh "STEP" } }
    }
}
"""


def _imported(text: str) -> JenkinsImport:
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result


@pytest.mark.parametrize(
    "parameter",
    [
        "string(name: 'FLAGS', defaultValue: '-a -b')",
        "string(name: 'FLAGS', defaultValue: '')",
        "string(name: 'FLAGS')",
        "text(name: 'FLAGS', defaultValue: 'a b')",
        "choice(name: 'FLAGS', choices: ['-a', '-a -b'])",
        "choice(name: 'FLAGS', choices: 'a\\n\\nb')",
    ],
)
def test_a_shell_splits_a_parameter_of_several_words(parameter: str) -> None:
    """A reference is one word, also for an empty value."""
    text = _PARAMETERS.replace("PARAMETER", parameter).replace("ENVIRONMENT", "")
    result = _imported(text.replace("STEP", "make ${params.FLAGS} all"))

    assert 'env: { FLAGS: "${inputs.FLAGS}" }' in result.text
    assert "make ${FLAGS} all" in result.text


def test_a_shell_splits_parameters_that_are_no_inputs() -> None:
    """Only Jenkins has a parameter with the name of a variable of programs, or one of another kind."""
    parameters = "string(name: 'ENV'); password(name: 'TOKEN', defaultValue: '')"
    text = _PARAMETERS.replace("PARAMETER", parameters).replace("ENVIRONMENT", "")
    result = _imported(text.replace("STEP", "make ${params.ENV} ${params.TOKEN}"))

    assert "ENV: ${setup.params.ENV}\n          TOKEN: ${setup.params.TOKEN}\n" in result.text
    assert "make ${ENV} ${TOKEN}" in result.text


@pytest.mark.parametrize(
    ("parameter", "step"),
    [
        ("string(name: 'FLAGS', defaultValue: '--all')", "make ${params.FLAGS}"),
        ("choice(name: 'FLAGS', choices: ['-a', '-b'])", "make ${params.FLAGS}"),
        ("booleanParam(name: 'FLAGS')", "make ${params.FLAGS}"),
        ("string(name: 'FLAGS')", "make '${params.FLAGS}'"),
        ("string(name: 'FLAGS')", "make --flags=${params.FLAGS}"),
        ("string(name: 'FLAGS')", "make ${params.FLAGS}.o"),
        ("string(name: 'FLAGS')", "cat <<END\\n ${params.FLAGS}\\nEND"),
    ],
)
def test_a_part_of_a_word_is_a_reference(parameter: str, step: str) -> None:
    """So is a parameter whose values are words, and all of a text in quotes."""
    text = _PARAMETERS.replace("PARAMETER", parameter).replace("ENVIRONMENT", "")
    result = _imported(text.replace("STEP", step))

    assert "${inputs.FLAGS}" in result.text
    assert "env:" not in result.text


def test_a_parameter_with_the_name_of_a_variable_is_a_reference() -> None:
    """The variable of the stage has another value."""
    text = _PARAMETERS.replace("ENVIRONMENT", "environment { FLAGS = 'x' }").replace("STEP", "make ${params.FLAGS}")
    result = _imported(text.replace("PARAMETER", "string(name: 'FLAGS')"))

    assert "make ${inputs.FLAGS}" in result.text


@pytest.mark.parametrize("value", ["CGO_ENABLED=0 go", "! go"])
def test_a_variable_with_the_start_of_a_command_is_text_of_the_command(value: str) -> None:
    """In the value of a variable, a shell takes an assignment or `!` for the name of a program."""
    text = _PARAMETERS.replace("PARAMETER", "").replace("ENVIRONMENT", f"environment {{ GO = '{value}' }}")
    result = _imported(text.replace("STEP", "${GO} build"))

    assert f"{value} build" in result.text


def test_a_variable_with_the_value_of_another_can_be_text_of_a_command() -> None:
    """The comparison of the runs reads both values."""
    environment = """environment { FLAGS = '-c "x y"'; GO = "go ${env.FLAGS}" }"""
    text = _PARAMETERS.replace("PARAMETER", "").replace("ENVIRONMENT", environment)
    result = _imported(text.replace("STEP", "${GO} build"))

    assert 'go -c "x y" build' in result.text


def test_a_variable_of_a_block_with_quotes_is_text_of_a_command() -> None:
    """A shell does not read quotes in the value of a variable."""
    text = _PARAMETERS.replace("PARAMETER", "").replace("ENVIRONMENT", "environment { ALL = '\"a b\"' }")
    block = """withEnv(["FLAGS=-c 'x y'", 'ALL=a b']) { sh "make ${FLAGS} ${ALL}" }"""
    steps = f'{block}; sh "make ${{ALL}}"'
    result = _imported(text.replace('sh "STEP"', steps))

    assert "make -c 'x y' ${ALL}" in result.text
    assert 'make "a b"' in result.text


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("lint ${changed}", "lint ${changed}"),
        ("lint ${changed}.txt", "lint ${changes.changed}.txt"),
        ("lint '${changed}'", "lint '${changes.changed}'"),
    ],
)
def test_a_shell_splits_a_value_of_another_stage(step: str, command: str) -> None:
    """A command may print several words, or none."""
    result = _imported(_VALUES.replace("STEP", step))

    assert command in result.text
    assert ('env: { changed: "${changes.changed}" }' in result.text) is (command == "lint ${changed}")


_TWO_STAGES = """\
pipeline {
    agent any
    stages {
        stage('build') { steps { sh 'make' } }
        stage('use') { steps { STEP } }
    }
}
"""


@pytest.mark.parametrize(
    ("step", "command"),
    [
        ("sh '''sed 's/x/${env.URL}/' conf'''", "sed 's/x/${env.URL}/' conf"),
        ("sh '''sed 's/x/$${env.URL}/' conf'''", "sed 's/x/$${env.URL}/' conf"),
        ("echo 'costs ${params.PRICE}'", "echo 'costs ${params.PRICE}'"),
        ("sh '''echo '${build.x} ${setup.run} ${.x}' '''", "echo '$${build.x} $${setup.run} $${.x}'"),
    ],
)
def test_only_texts_that_would_be_references_are_escaped(step: str, command: str) -> None:
    """In single quotes, a shell expands nothing; `${env.URL}` names no stage of the config."""
    assert command in _imported(_TWO_STAGES.replace("STEP", step)).text


def test_a_command_that_no_shell_accepts_stays_groovy() -> None:
    """It fails, also in the generated file."""
    config = _imported(_TWO_STAGES.replace("STEP", "sh 'curl ${env.URL}'")).text

    assert "jenkins: [\"sh 'curl ${env.URL}'\"]" in config


_COMMIT = """\
pipeline {
    agent any
    environment { TAG = "${env.BUILD_NUMBER}-${VALUE}" }
    stages { stage('build') { steps { sh "docker build -t app:$TAG -t app:${VALUE} ." } } }
}
"""


@pytest.mark.parametrize(
    "value",
    ["env.GIT_COMMIT.take(8)", "GIT_COMMIT?.take(8)", "env.GIT_COMMIT.substring(0, 8)", "GIT_COMMIT[0..7]"],
)
def test_the_first_eight_characters_of_the_commit_are_the_short_commit(value: str) -> None:
    """Other engines have this value, too."""
    config = _imported(_COMMIT.replace("VALUE", value)).text

    assert "env: { TAG: '${setup.run}-${setup.shortCommit}' }" in config.replace('"', "'")
    assert "docker build -t app:${TAG} -t app:${setup.shortCommit} ." in config
    assert "jenkins: {}" in config


@pytest.mark.parametrize("value", ["env.GIT_COMMIT.take(7)", "env.GIT_COMMIT[0..6]", "env.GIT_COMMIT.substring(8)"])
def test_other_parts_of_the_commit_stay_groovy(value: str) -> None:
    """A config has only one short form."""
    config = _imported(_COMMIT.replace("VALUE", value)).text

    assert "shortCommit" not in config
    assert f"-${{{value}}}" in config
