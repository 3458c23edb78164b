"""Variables of `environment` and `withEnv`, in which Jenkins expands nothing that Groovy does not insert."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent any
    environment { REGISTRY = 'registry.example.org'; IMAGE = VALUE }
    stages {
        stage('build') { steps { STEPS } }
        stage('other') { steps { sh './other' } }
    }
}
"""


def _config(value: str, steps: str = "sh './push $IMAGE'") -> str:
    text = _SOURCE.replace("VALUE", value).replace("STEPS", steps)
    return import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"${REGISTRY}/app"', 'IMAGE: "${REGISTRY}/app" }'),
        ("'$REGISTRY/app'", "IMAGE: $REGISTRY/app }"),
        ('"\\$REGISTRY/app"', "IMAGE: $REGISTRY/app }"),
        ("'${REGISTRY}/app'", """'withEnv(["IMAGE=\\${REGISTRY}/app"])'"""),
    ],
)
def test_only_groovy_inserts_variables_into_a_value(value: str, expected: str) -> None:
    """`EnvStep` sets the values as they are (`EnvironmentExpander.constant`); a config has no text with `${`."""
    assert expected in _config(value)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("'NAME=$REGISTRY'", 'export NAME="\\$REGISTRY"'),
        ('"NAME=${REGISTRY}"', 'export NAME="${REGISTRY}"'),
    ],
)
def test_variables_around_some_of_the_steps_are_the_same(item: str, expected: str) -> None:
    """The shell expands a text in double quotes, so that a dollar sign needs a backslash."""
    assert expected in _config("'app'", f"sh './first'; withEnv([{item}]) {{ sh './push $NAME' }}")


@pytest.mark.parametrize(
    "text", ["$REGISTRY/app", "${REGISTRY}/app", "<app", '--name "my app"', "a;b", "app &", "# app", "{a,b}", "a\\b"]
)
def test_a_value_that_the_shell_interprets_is_text_of_the_command(text: str) -> None:
    """Groovy writes the value of IMAGE into the command before a shell reads it."""
    config = _config("'" + text.replace("\\", "\\\\") + "'", 'sh "./push ${IMAGE} -v"; sh "./push ${env.IMAGE}"')

    assert f"./push {text} -v" in config
    assert "./push ${IMAGE}" not in config


@pytest.mark.parametrize(
    "text", ["app", "my app", "app:1.0", "*.jar", "--all", "a#b", "a~b", "app:${env.BUILD_NUMBER}"]
)
def test_a_value_of_words_is_a_variable_of_the_command(text: str) -> None:
    """The shell splits the variable into the words that it finds in the text of the value."""
    assert "./push ${IMAGE}" in _config(f'"{text}"', 'sh "./push ${IMAGE}"')


def test_a_command_with_a_value_of_the_build_that_the_shell_interprets_stays_groovy() -> None:
    """A reference would be one word, with all of its signs."""
    assert 'sh "./push ${IMAGE}"' in _config('"app;${env.BUILD_NUMBER}"', 'sh "./push ${IMAGE}"')


@pytest.mark.parametrize(
    ("items", "is_raw"),
    [
        ("'A=1', \"B=${env.A}x\"", True),
        ("\"B=${env.A}x\", 'A=1'", False),
        ("\"A=${env.A}:1\", 'B=2'", False),
    ],
)
def test_a_value_with_the_former_value_of_a_variable_stays_groovy(items: str, *, is_raw: bool) -> None:
    """Groovy inserts all values before `withEnv` sets the first variable; a script sets one after the other."""
    config = _config("'app'", f"sh './first'; withEnv([{items}]) {{ sh './push $B' }}")

    assert ("withEnv" in config) is is_raw
    assert ("export " in config) is not is_raw


@pytest.mark.parametrize("name", ["MESSAGE", "LEVEL"])
@pytest.mark.parametrize("test", ["expression { NAME == 'x' }", "equals expected: 'x', actual: NAME"])
def test_a_condition_on_a_variable_of_groovy_stays_groovy(name: str, test: str) -> None:
    """It is no variable of the environment, which `env` and commands would know."""
    steps = "script { MESSAGE = sh(script: 'git log -1 --pretty=%s', returnStdout: true).trim(); print MESSAGE }"
    when = f"when {{ {test.replace('NAME', name)} }}; "
    text = (
        _SOURCE.replace("VALUE", "'app'")
        .replace("STEPS", steps)
        .replace("steps { sh './other'", f"{when}steps {{ sh 'o'")
    )
    config = import_jenkins(SourceFile("Jenkinsfile", f"def LEVEL = 'x'\n{text}"), Report()).text

    assert "when:" not in config
    assert f"if ({name} == 'x')" in config or f"if ('x' == {name})" in config


@pytest.mark.parametrize("expression", ["BRANCH_NAME =~ /^rel/", "BRANCH_NAME ==~ /rel.*/", "env.BRANCH_NAME == 'rel'"])
def test_conditions_on_variables_of_the_environment_are_translated(expression: str) -> None:
    """`=~` is no assignment, and neither `env` nor `branch` reads a variable of Groovy."""
    steps = "sh './build'"
    when = f"when {{ branch 'rel*'; expression {{ {expression} }} }}; steps {{ sh 'o'"
    text = _SOURCE.replace("VALUE", "'app'").replace("STEPS", steps).replace("steps { sh './other'", when)
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "when:" in config
    assert "if (" not in config


@pytest.mark.parametrize(
    "test",
    [
        "expression { env.BRANCH_NAME == MAIN }",
        "expression { MAIN == BRANCH_NAME }",
        "equals expected: MAIN, actual: env.BRANCH_NAME",
    ],
)
def test_a_condition_compares_with_a_constant(test: str) -> None:
    """Its text is known."""
    when = f"when {{ {test} }}; steps {{ sh 'o'"
    text = _SOURCE.replace("VALUE", "'app'").replace("STEPS", "sh 'x'").replace("steps { sh './other'", when)
    config = import_jenkins(SourceFile("Jenkinsfile", f"def MAIN = 'trunk'\n{text}"), Report()).text

    assert "when: { branch: trunk }" in config
    assert "definitions" not in config


def test_a_directive_reads_no_variable_of_groovy() -> None:
    """`branch` compares the variable of the environment, whatever Groovy calls BRANCH_NAME."""
    when = "when { branch 'rel*' }; steps { sh 'o'"
    steps = "script { BRANCH_NAME = load('x'); print BRANCH_NAME }"
    text = _SOURCE.replace("VALUE", "'app'").replace("STEPS", steps).replace("steps { sh './other'", when)
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "when: { branch: rel* }" in config


def test_a_variable_of_a_stage_reads_those_of_the_pipeline() -> None:
    """In `environment` of a stage, it follows them, also if it replaces one that was set before them."""
    text = """\
pipeline {
    agent any
    environment { NAME = "app-${BUILD_NUMBER}"; KIND = 'test' }
    stages {
        stage('a') { steps { sh './a $NAME' } }
        stage('b') {
            environment { NAME = "${env.KIND}-b" }
            steps { sh './b $NAME' }
        }
        stage('c') { steps { sh './c $NAME' } }
    }
}
"""
    assert "NAME: test-b }" in import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


def test_a_variable_reads_one_that_its_block_sets_later() -> None:
    """Jenkins evaluates the value of a variable where another one reads it."""
    text = """\
pipeline {
    agent any
    environment { LEVEL = 'full' }
    stages {
        stage('a') {
            environment { A = "${B}/y"; B = "${LEVEL}-b"; LEVEL = 'quick'; C = "${C}" }
            steps { sh './a $A' }
        }
    }
}
"""
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert 'env: { LEVEL: quick, B: "${LEVEL}-b", A: "${B}/y" }' in result.text


_COMMAND = "HOST = sh(script: 'hostname', returnStdout: true).trim()"


def test_groovy_of_a_variable_reads_one_that_a_command_sets() -> None:
    """The command runs once, around the steps, where that Groovy knows the variable."""
    values = f"'app'; {_COMMAND}; FOLDER = HOST.toLowerCase(); PATHS = \"${{HOST}}/x\""
    config = _config(values, "sh './x $HOST $FOLDER'")

    assert config.count("hostname") == 2
    assert config.index('withEnv(["HOST=${sh(') < config.index('withEnv(["FOLDER=${HOST.toLowerCase()}"])')
    assert 'HOST="$(hostname)"' in config.partition("name: other")[2]
    assert 'HOST="$(hostname)"' not in config.partition("name: other")[0]


def test_groovy_that_reads_a_variable_of_several_lines_is_left_out() -> None:
    """An item of `withEnv` is one line."""
    report = Report()
    values = "'app'; HOST = sh(script: '''a\nb''', returnStdout: true).trim(); FOLDER = HOST.toLowerCase()"
    text = _SOURCE.replace("VALUE", values).replace("STEPS", "sh './x $FOLDER'")
    config = import_jenkins(SourceFile("Jenkinsfile", text), report).text

    assert "toLowerCase" not in config
    assert '"FOLDER" is left out' in messages(report)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("readMavenPom file: 'p'; VERSION = IMAGE.getVersion()", "(readMavenPom(file: 'p')).getVersion()"),
        ("readFile('p').trim(); VERSION = IMAGE.reverse()", "readFile('p').trim().reverse()"),
        ("read().size; VERSION = env.IMAGE.abs()", "(read().size).abs()"),
        ("read a: 'x' in y; VERSION = \"${IMAGE}\".trim()", "\"${(read(a: 'x' in y))}\".trim()"),
        ('"${read()}-a"; VERSION = "$IMAGE-b".trim()', '"${read()}-a-b".trim()'),
        ("a.b(); X = IMAGE.c(); VERSION = X.d(e.IMAGE, IMAGE: 1)", "((a.b()).c()).d(e.IMAGE, IMAGE: 1)"),
        ("''; VERSION = IMAGE.trim()", '"".trim()'),
        ("REGISTRY.trim(); VERSION = IMAGE.trim()", "(REGISTRY.trim()).trim()"),
    ],
)
def test_groovy_of_a_variable_reads_the_objects_of_others(values: str, expected: str) -> None:
    """Jenkins evaluates the value of a variable wherever others read it; in `withEnv`, values are texts."""
    config = _config(values, "sh './x $VERSION'")

    assert f'withEnv(["VERSION=${{{expected}}}"])' in config.replace("''", "'").replace("'.trim", "''.trim")


def test_groovy_of_a_variable_reads_those_of_a_block_around_as_texts() -> None:
    """Jenkins sets these before it reads the other block."""
    text = _SOURCE.replace("VALUE", "read()").replace(
        "stage('build') {", "stage('build') { environment { V = IMAGE.a() };"
    )
    config = import_jenkins(SourceFile("Jenkinsfile", text.replace("STEPS", "sh './x $V'")), Report()).text

    assert 'withEnv(["V=${read().toString().a()}"])' in config


def test_groovy_that_reads_a_variable_without_an_expression_is_left_out() -> None:
    """An expression with several lines is none in a block step, nor is a very long one."""
    report = Report()
    values = f"a(\n'x'); V = IMAGE.b(); LONG = a('{'x' * 1000}'); W = LONG.b()"
    text = _SOURCE.replace("VALUE", values).replace("STEPS", "sh './x $V $W'")
    import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert '"V" is left out' in messages(report)
    assert '"W" is left out' in messages(report)


def test_groovy_inserts_null_for_a_variable_with_the_empty_text() -> None:
    """Jenkins removes such a variable; values of `environment` itself have the empty text."""
    steps = 'echo "is ${env.IMAGE}"; sh "./x ${env.IMAGE}"; sh \'./y "$IMAGE"\'; sh "./z ${SITE}"'
    text = _SOURCE.replace("VALUE", "''; SITE = \"${IMAGE}-s\"").replace("STEPS", steps)
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert "echo 'is null'" in result.text
    assert "./x null\n" in result.text
    assert './y "$IMAGE"\n' in result.text
    assert 'SITE: "${IMAGE}-s"' in result.text
    proof = prove_stages(result)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("HOME_URL ?: 'x'", "IMAGE=${env.HOME_URL ?: 'x'}"),
        ("a(CHANGE_ID)", "IMAGE=${a(env.CHANGE_ID)}"),
        ("\"${IMAGE ?: 'x'}\"", "IMAGE=${env.IMAGE ?: 'x'}"),
        ("a(env.CHANGE_ID)", "IMAGE=${a(env.CHANGE_ID)}"),
        ("a(REGISTRY)", "IMAGE=${a(REGISTRY)}"),
        ("UUID.randomUUID()", "IMAGE=${UUID.randomUUID()}"),
        ("A_B(CHANGE_ID)", "IMAGE=${A_B(env.CHANGE_ID)}"),
        ("a.each { A_B, C_D -> A_B + C_D + CHANGE_ID }", "IMAGE=${a.each { A_B, C_D -> A_B + C_D + env.CHANGE_ID }}"),
    ],
)
def test_groovy_reads_a_variable_that_nothing_sets_as_null(value: str, expected: str) -> None:
    """In `environment`, Declarative reads such a name as null; elsewhere, Groovy fails."""
    config = _config(value, "sh './x $IMAGE'")

    assert f'withEnv(["{expected}"])' in config.replace("''", "'")


def test_groovy_of_a_variable_is_around_the_steps_of_a_function_that_reads_it() -> None:
    """The stage itself only calls the function."""
    text = _SOURCE.replace("VALUE", "'a'.toUpperCase()").replace("STEPS", "push()")
    config = import_jenkins(SourceFile("Jenkinsfile", f"{text}def push() {{ sh './push $IMAGE' }}\n"), Report()).text

    assert ".toUpperCase()}" in config.partition("name: other")[0]


@pytest.mark.parametrize("name", ["BRANCH_NAME", "TAG_NAME"])
def test_a_condition_on_a_parameter_with_the_name_of_a_variable_of_jenkins_stays_groovy(name: str) -> None:
    """A condition of a config tests the variable."""
    parameter = f"parameters {{ string(name: '{name}', defaultValue: 'dev') }}"
    when = f"when {{ expression {{ params.{name} == 'dev' }} }}\n        steps {{"
    text = _SOURCE.replace("agent any", f"agent any\n    {parameter}").replace("steps {", f"\n        {when}", 1)
    result = import_jenkins(
        SourceFile("Jenkinsfile", text.replace("VALUE", "'a'").replace("STEPS", "sh './a'")), Report()
    )

    assert f"around: [if (params.{name} == 'dev')]" in result.text
    assert "when:" not in result.text


@pytest.mark.parametrize("line_break", ["\r\n", "\r"])
def test_each_line_break_is_one_character(line_break: str) -> None:
    """Groovy leaves one after a backslash out, and writes others as line feeds."""
    text = _SOURCE.replace("VALUE", "'a'").replace("STEPS", '\nsh """make \\\n  -j 2\nmake install"""\n')
    others = import_jenkins(SourceFile("Jenkinsfile", text.replace("\n", line_break)), Report())

    assert "make   -j 2\n" in others.text
    assert others.text == import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


def test_a_variable_that_groovy_sets_later_is_null() -> None:
    """Once Groovy has set it, and if something else always sets it, it has a value."""
    text = """\
pipeline {
    agent any
    stages {
        stage('a') { steps { sh "./a ${env.LEVEL} ${env.PATH}" } }
        stage('b') { steps { script { env.LEVEL = now(); env.PATH = now() }; sh "./b ${env.LEVEL}" } }
        stage('c') { steps { sh "./c ${env.LEVEL}" } }
    }
}
"""
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    assert "./a ${LEVEL:-null} ${PATH}" in result.text
    assert "./b ${LEVEL}" in result.text
    assert "./c ${LEVEL}" in result.text


@pytest.mark.parametrize(("name", "stages"), [("JAVA_HOME", 2), ("AWS_REGION", 2), ("SCANNER", 1)])
def test_a_computed_variable_of_programs_is_around_all_stages_with_commands(name: str, stages: int) -> None:
    """A script need not name it: `mvn` reads `JAVA_HOME`."""
    text = _SOURCE.replace("IMAGE = VALUE", f"{name} = tool('a')").replace("STEPS", f"sh 'echo ${name}'")
    text = text.replace("stage('other')", "stage('checkout') { steps { checkout scm } }\n        stage('other')")
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert config.count(f"withEnv([\"{name}=${{tool(''a'')}}\"])") == stages


@pytest.mark.parametrize(
    ("script", "is_kept"),
    [
        ("IMAGE=b; echo ${IMAGE}", True),
        ("IMAGE=\\$(cat x)\\necho ${IMAGE}", True),
        ("export IMAGE=b\\necho ${IMAGE}", True),
        ("A=1 IMAGE=b\\necho ${IMAGE}", True),
        ("read IMAGE; echo ${IMAGE}", True),
        ("for IMAGE in a b; do echo ${IMAGE}; done", True),
        ("while ./next; do echo ${IMAGE}; IMAGE=b; done", True),
        ("IMAGE=b ./push ${IMAGE}", False),
        ("IMAGE=${IMAGE} ./push", False),
        ("IMAGE='${IMAGE}'; echo ${IMAGE}", False),
        ("IMAGE='\\${IMAGE}'; echo ${IMAGE}", True),
        ("export IMAGE=/x:${IMAGE}; for a in b; do ./push; done", False),
        ("echo ${IMAGE}; IMAGE=b", False),
        ("docker build --build-arg IMAGE=${IMAGE} . && docker push ${IMAGE}", False),
        ("IMAGE=b; ./push \\$IMAGE", False),
    ],
)
def test_groovy_inserts_the_value_before_commands_set_the_variable(script: str, *, is_kept: bool) -> None:
    """Commands that read the variable after they set it would read another value."""
    text = f'sh "{script}"'

    assert (text in _config("'a'", text).replace("''", "'").replace("\\\\", "\\").replace('\\"', '"')) is is_kept


def test_a_computed_variable_of_several_lines_is_the_same() -> None:
    """The comparison finds the lines of its command in the script."""
    value = 'sh(returnStdout: true, script: """\n            make names | sort\n            """)'
    text = _SOURCE.replace("VALUE", value).replace("STEPS", "sh './push $IMAGE'")
    proof = prove_stages(import_jenkins(SourceFile("Jenkinsfile", text), Report()))

    assert proof is not None
    assert proof.differences == ()
