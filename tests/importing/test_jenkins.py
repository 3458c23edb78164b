"""Each folder in `jenkins` has a Jenkinsfile, the config to which it is imported, and the diagnostics.

`pytest --update-golden` rewrites the configs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from importing.samples import messages
from ruamel.yaml import YAML

from pipegen.diagnostics.report import Report, Stopped
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.compilation import compiled
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.importing.jenkins.stages.kept import tokens_of
from pipegen.plan.model import Commands
from pipegen.source.text import SourceFile
from pipegen.structs import replace

CASES = sorted(path for path in (Path(__file__).parent / "jenkins").iterdir() if path.is_dir())
_SOURCE = """\
pipeline {
    agent none
    environment { LEVEL = 'full' }
    stages {
        stage('build') { agent { label 'linux' }; steps { sh 'make'; stash name: 'out', includes: 'out/' } }
        stage('test') { agent { label 'linux' }; steps { unstash 'out'; sh 'make test'; sh 'make report' } }
        stage('deploy') { agent any; when { buildingTag() }; steps { sh './deploy' } }
    }
}
"""
# A text in the config, its replacement, and the resulting difference.
_CHANGES = (
    ("          - make report\n", "", 'the script of stage "test" is another one'),
    ("{ tag: true }", "{ branch: main }", 'stage "deploy" runs only in the original'),
    ("LEVEL: full", "LEVEL: quick", 'the variable LEVEL of stage "build" is another one'),
    ("agent: linux", "agent: windows", 'the agent of stage "build" is another one'),
    ("files_from: []", "files_from: [build]", 'stage "deploy" gets other files: build'),
    ("    stages:", "    execution: [[build, deploy], [test]]\n    stages:", 'stage "test" does not wait for "build"'),
)


@cache
def _imported(folder: Path) -> tuple[JenkinsImport, Report]:
    return _from_text((folder / "Jenkinsfile").read_text(encoding="utf-8"))


def _from_text(text: str) -> tuple[JenkinsImport, Report]:
    report = Report()
    return import_jenkins(SourceFile("Jenkinsfile", text), report), report


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_a_jenkinsfile_becomes_the_expected_config(folder: Path, request: pytest.FixtureRequest) -> None:
    """The config reads as if written by hand, and compiles."""
    result, report = _imported(folder)
    texts = {"pipegen.yaml": result.text, "report.txt": messages(report)}
    for name, text in texts.items():
        if request.config.getoption("--update-golden"):
            (folder / name).write_text(text, encoding="utf-8")

        assert (folder / name).read_text(encoding="utf-8") == text
    assert result.compiled.messages == ()


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_every_construct_is_accounted_for(folder: Path) -> None:
    """Translated, raw and reported constructs add up to all constructs."""
    result, _ = _imported(folder)

    assert sum(result.count.number(outcome) for outcome in KeyOutcome) == result.count.keys > 0


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_stages_run_the_same(folder: Path) -> None:
    """The events distinguish all conditions."""
    proof = prove_stages(_imported(folder)[0])

    assert proof is not None
    assert ([difference.message for difference in proof.differences], proof.events >= 9) == ([], True)


@pytest.mark.parametrize(("text", "other", "message"), _CHANGES, ids=lambda value: value.strip()[:20])
def test_a_change_of_the_config_is_found(text: str, other: str, message: str) -> None:
    """The original and the unchanged import run the same."""
    result, _ = _from_text(_SOURCE)

    assert _differences(result) == []
    assert message in _differences(_changed(result, text, other))


def _changed(result: JenkinsImport, text: str, other: str) -> JenkinsImport:
    assert text in result.text
    config = compiled(result.text.replace(text, other, 1), "jenkins")
    assert config.messages == ()
    return replace(result, compiled=config, generated=config.files)


def _differences(result: JenkinsImport) -> list[str]:
    proof = prove_stages(result)
    assert proof is not None
    return [difference.message for difference in proof.differences]


def test_texts_of_steps_around_a_script_keep_their_lines() -> None:
    """A manifest of a pod is YAML."""
    pod = "podTemplate(yaml: '''\nspec:\n  containers: []\n''') { node(POD_LABEL) { sh 'make' } }"
    result, _ = _from_text(f"pipeline {{ agent none; stages {{ stage('a') {{ steps {{ {pod} }} }} }} }}")

    assert "podTemplate(yaml: '\\nspec:\\n  containers: []\\n')" in result.generated[-1].text
    assert "script: [make]" in result.text


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ("", "retry: 2"),
        (", conditions: [agent(), nonresumable()]", 'retry: { count: 2, "on": system }'),
        (", conditions: [mine()]", ""),
    ],
)
def test_conditions_of_attempts_stay(conditions: str, expected: str) -> None:
    """A stage that fails because of its script is not tried again; other conditions are reported."""
    options = f"options {{ retry(count: 3{conditions}) }}"
    stage = f"stage('a') {{ {options}; steps {{ sh 'make' }} }}"
    result, report = _from_text(f"pipeline {{ agent any; stages {{ {stage} }} }}")

    assert ("retry" in result.text, expected in result.text) == (expected != "", True)
    assert ("a config has no such conditions" in messages(report)) == (not expected)


def test_lines_that_go_on_are_compared_as_one() -> None:
    """A config has the same command."""
    result, _ = _from_text(r"pipeline { agent any; stages { stage('a') { steps { sh 'a \\\n  b' } } } }")

    assert _differences(result) == []


def test_post_of_the_pipeline_runs_once_after_all_attempts() -> None:
    """Only reports of files stay with a stage that is tried again."""
    post = "post { always { junit 'a.xml'; tell('x') } }"
    stage = "stage('a') { options { retry(3) }; steps { sh 'make' } }"
    result, report = _from_text(f"pipeline {{ agent any; stages {{ {stage} }}; {post} }}")

    assert "script: [make]\n        reports: { junit: a.xml }\n        retry: 2\n" in result.text
    assert "finally: [always]" in result.text
    assert "each attempt" not in messages(report)


def test_a_condition_with_several_statements_stays_groovy() -> None:
    """They are in a closure; only a statement on one line may have blocks."""
    tags = "\n// the tags\ntags = sh(returnStdout: true, script: 'git tag').trim().split(/\\n/)\n"
    whens = [f"expression {{ {tags} return tags.any {{ it == 'a' }} }}", "expression { if (x()) {\nreturn 1 } \n 2 }"]
    stages = "; ".join(f"stage('s{n}') {{ when {{ {when} }}; steps {{ sh 'x' }} }}" for n, when in enumerate(whens))
    result, report = _from_text(f"pipeline {{ agent any; stages {{ {stages} }} }}")

    closure = "{ tags = sh(returnStdout: true, script: 'git tag').trim().split(/\\n/); return tags.any { it == 'a' } }"
    assert f"if ({closure}.call()) {{" in result.generated[-1].text
    assert 'Stage "s1" runs without it' in messages(report)


def test_properties_before_the_pipeline_are_its_options() -> None:
    """The options win, because Jenkins sets them later; other properties stay in the job."""
    discard = "buildDiscarder(logRotator(numToKeepStr: '9'))"
    properties = (
        f"properties([{discard}, disableConcurrentBuilds(), disableResume(), pipelineTriggers([cron('H 3 * * *')])])\n"
        "properties([[$class: 'Acme']])\n"
    )
    options = "options { buildDiscarder(logRotator(numToKeepStr: '5')) }"
    stages = "stages { stage('A') { steps { sh 'make' } } }"
    report = Report()
    text = f"{properties}pipeline {{ agent any\n{options}\n{stages} }}"
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "concurrency: {}\n    schedule: H 3 * * *\n" in result.text
    assert "discard: { builds: 5 }" in result.text
    assert [line for line in messages(report).split("\n") if "left out" in line] == [
        'Jenkinsfile:1:87: warning[PG850] "disableResume" is left out: it is outside the pipeline',
        'Jenkinsfile:2:1: warning[PG850] "properties" is left out: it is outside the pipeline',
    ]


def test_a_condition_on_a_file_outside_the_checkout_stays_groovy() -> None:
    """Patterns of a config are relative to the repository."""
    when = "when { expression { !fileExists('/etc/cow') } }"
    text = f"pipeline {{ agent any; stages {{ stage('A') {{ {when}; steps {{ sh 'make' }} }} }} }}"
    config = import_jenkins(SourceFile("Jenkinsfile", text), Report()).text

    assert "around: [if (!fileExists('/etc/cow'))]" in config


def test_arguments_may_go_on_after_a_backslash() -> None:
    """Groovy permits one at the end of each line; in texts, it is for the shell."""
    steps = "publish a: 1, \\\n  b: 2\n sh '''make, \\\n  all'''"
    result, report = _from_text(f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ {steps} }} }} }} }}")

    assert '["publish a: 1, b: 2"]' in result.text
    assert 'script: ["make,   all"]' in result.text
    assert "left out" not in messages(report)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "set +e\n            a; b"),
        (" -ex", "script: [a; b]"),
        (" -u", "set +e -u\n            a; b"),
        (" -l", "sh '''#!/bin/bash -l"),
    ],
)
def test_options_of_the_shell_stay(options: str, expected: str) -> None:
    """A login shell reads other files; options that a script can set are the same."""
    stage = f"stage('a') {{ steps {{ sh '''#!/bin/bash{options}\na; b''' }} }}"
    result, _ = _from_text(f"pipeline {{ agent any; stages {{ {stage} }} }}")

    assert expected in result.text


def test_a_printed_text_may_have_several_lines() -> None:
    """A step for messages becomes a command; the same command can be in a script."""
    text = "'''\n  make\n  it\n'''"
    result, _ = _from_text(
        f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ echo {text}; sh 'echo \"a\\n  b\"\\nmake' }} }} }} }}"
    )

    assert _differences(result) == []


def test_a_script_that_a_config_refuses_stays_groovy() -> None:
    """A value in a program of sed would be code, so the commands are not translated."""
    parameter = "parameters { string(name: 'VERSION', defaultValue: '1') }"
    stages = """stages { stage('a') { steps { sh "sed -i -e 's/x/${params.VERSION}/' f" } } }"""
    result, report = _from_text(f"pipeline {{ agent any; {parameter}; {stages} }}")

    assert """jenkins: ['sh "sed -i -e ''s/x/${params.VERSION}/'' f"']""" in result.text
    assert '"sh" of stage "a" stays Groovy: "${inputs.VERSION}" would become part of a program' in messages(report)
    assert ("steps:sh", KeyOutcome.RAW, 1) in result.count.constructs
    assert _differences(result) == []


@pytest.mark.parametrize(
    ("block", "translated"),
    [
        ("def x = 'a'; sh \"make ${x}\"", "script: [make a]"),
        (
            'def x = "a-${env.BUILD_NUMBER}"; def y = x; sh "make ${y} \'${y}\'"',
            "make a-${setup.run} 'a-${setup.run}'",
        ),
        ("acmeLogin to: 'x'", "acmeLogin to: 'x'"),
        ("sleep 3", "script: [sleep 3]"),
    ],
)
def test_a_script_block_of_steps_and_texts_is_translated(block: str, translated: str) -> None:
    """Steps in `script` are those of the stage, and names of texts are replaced."""
    result, report = _from_text(_with_script(block))

    assert "left out" not in messages(report)
    assert translated in result.text
    assert "${x}" not in result.text
    assert _differences(result) == []


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("'costs $5 or $HOME'", "echo 'costs $5 or $HOME'"),
        ('"costs \\$5 in ${env.PLACE}"', r'echo "costs \$5 in ${PLACE:-null}"'),
        ("'a ${setup.run} b'", "echo 'a $${setup.run} b'"),
        ('"`x` \\"${env.PLACE}\\""', r'echo "\`x\` \"${PLACE:-null}\""'),
    ],
)
def test_texts_of_echo_stay_as_they_are(text: str, command: str) -> None:
    """The shell expands only what Groovy inserts."""
    result, _ = _from_text(_with_script(f"echo {text}"))

    assert result.config.drafts[0].work.commands[0].text == command
    assert _differences(result) == []


@pytest.mark.parametrize("name", ["previousBuild", "previousSuccessfulBuild", "changeSets", "description"])
def test_other_values_of_the_build_are_no_variables(name: str) -> None:
    """`currentBuild` is an object of Jenkins (`RunWrapper`); only the result before a stage is known."""
    when = f"when {{ expression {{ currentBuild.{name} == null }} }}"
    result, report = _from_text(
        f"pipeline {{ agent any; stages {{ stage('a') {{ {when}; steps {{ sh 'make' }} }} }} }}"
    )

    assert "when" not in result.text
    assert f"if (currentBuild.{name} == null)" in result.text
    assert '"expression" of stage "a" stays Groovy' in messages(report)


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2", "script: [sleep 2]"),
        ("time: 2, unit: 'MINUTES'", "script: [sleep 120]"),
        ("time: 500, unit: 'MILLISECONDS'", """jenkins: ["sleep time: 500, unit: 'MILLISECONDS'"]"""),
    ],
)
def test_only_whole_seconds_are_a_command(time: str, expected: str) -> None:
    """`unit` is a java.util.concurrent.TimeUnit, and `sleep` of POSIX takes whole seconds."""
    result, _ = _from_text(f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ sleep {time} }} }} }} }}")

    assert expected in result.text


def test_a_step_that_reads_the_answer_of_an_approval_is_left_out() -> None:
    """A config cannot ask for values."""
    asked = "input { message 'Who?'; parameters { string(name: 'PERSON') } }"
    steps = "steps { echo 'hello'; echo \"hello ${PERSON}\" }"
    result, report = _from_text(f"pipeline {{ agent any; stages {{ stage('a') {{ {asked}; {steps} }} }} }}")

    assert "script: [echo hello]" in result.text
    assert '"echo" is left out: it reads "PERSON"' in messages(report)


@pytest.mark.parametrize(
    ("block", "script"),
    [
        (
            "if (env.BRANCH_NAME == 'main') { sh './deploy' } else { echo 'no' }",
            'if [ "${setup.branch}" = main ]; then\n  ./deploy\nelse\n  echo no\nfi',
        ),
        ("if (env.LEVEL != 'full' && env.A) { sh 'x' }", 'if [ "${LEVEL}" != full ] && [ -n "${A}" ]; then\n  x\nfi'),
        ("def x = 'a'; if (!env.A) { sh \"make ${x}\" }", 'if [ -z "${A}" ]; then\n  make a\nfi'),
        ("if (env.A) { sh 'cd x'; sh 'make' }", 'if [ -n "${A}" ]; then\n  (cd x)\n  make\nfi'),
        ('if (env.A) { sh """cat <<E\n  a\nE\n""" }', 'if [ -n "${A}" ]; then\ncat <<E\n  a\nE\nfi'),
        (
            "if (env.A) { sh 'a' } else if (env.B == 'b') { sh 'b' } else if (env.C) { sh 'c' } else { sh 'd' }",
            'if [ -n "${A}" ]; then\n  a\nelif [ "${B}" = b ]; then\n  b\nelif [ -n "${C}" ]; then\n  c\nelse\n  d\nfi',
        ),
        (
            "if (env.A) { sh 'a'; if (env.B) { sh 'b' } else { sh 'c' } }",
            'if [ -n "${A}" ]; then\n  a\n  if [ -n "${B}" ]; then\n    b\n  else\n    c\n  fi\nfi',
        ),
        (
            "if (env.A) { sh 'a' } else {\n // about b\n if (env.B) {\n sh 'b' } }",
            'if [ -n "${A}" ]; then\n  a\nelse\n  # about b\n  if [ -n "${B}" ]; then\n    b\n  fi\nfi',
        ),
        ("if (env.A) { error 'no' }; sh 'make'", 'if [ -n "${A}" ]; then\n  echo no >&2\n  exit 1\nfi'),
    ],
)
def test_conditions_of_commands_are_conditions_of_the_shell(block: str, script: str) -> None:
    """The commands are the same."""
    result, report = _from_text(_with_script(block))
    (draft,) = result.config.drafts

    assert "left out" not in messages(report)
    assert "stays Groovy" not in messages(report)
    assert draft.work.commands[0].text == script
    assert _differences(result) == []


def test_commands_in_conditions_are_once_in_the_folder_and_the_variables_around_them() -> None:
    """The script has those before the condition."""
    conditional = "script { if (env.A) { sh './a' } else { sh './b' } }"
    steps = f"dir('sub') {{ withEnv(['B=c']) {{ {conditional} }} }}; sh './last'"
    result, _ = _from_text(f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{ {steps} }} }} }} }}")

    assert result.text.count("cd sub") == 1
    assert result.text.count("export B=") == 1
    assert _differences(result) == []


@pytest.mark.parametrize(
    "block",
    [
        'def x = now(); sh "make ${x}"',
        "def x = 'a'; acmeLogin(x)",
        "def x = sh(script: 'date', returnStdout: true).trim()",
        "def x = readFile('version.txt').trim()",
        "def x = readFile('version.txt'); sh \"make ${x}\"",
        "def x = readFile(file: 'x', encoding: 'UTF-8').trim(); sh \"make ${x}\"",
        'def x = readFile("${env.FILE}").trim(); sh "make ${x}"',
        "def image = docker.build('app'); image.tag('latest')",
        "if (env.BRANCH_NAME == 'main') { sh './deploy' } else { acmeLogin() }",
        "if (env.BRANCH_NAME == 'main') { sh './deploy' } else if (now()) { sh './force' }",
        "if (env.BRANCH_NAME == 'PR-1') { sh './deploy' }",
        "if (env.BRANCH_NAME ==~ /x.*/) { sh './deploy' }",
        "if (params.UNKNOWN) { sh './deploy' }",
        "if (env.A == 'a') { junit 'a.xml' }",
        'def x = """cat <<E;  ${env.TEXT};E""".trim() // }; sh x',
        "try { sh 'make' } catch (error) { currentBuild.result = 'UNSTABLE' }",
    ],
)
def test_another_script_block_stays_groovy(block: str) -> None:
    """All of it is one step of Jenkins in the config and in the generated file, with unchanged texts."""
    result, report = _from_text(_with_script(block))
    expected = tokens_of(block.replace("; ", "\n"))
    actual = tokens_of(result.generated[-1].text)

    assert "stays Groovy" in messages(report)
    assert "left out" not in messages(report)
    assert _differences(result) == []
    assert expected in [actual[at : at + len(expected)] for at in range(len(actual))]


_STAGES = """pipeline { agent any
    PIPELINE
    stages {
        stage('a') { steps { script { X = sh(script: 'date', returnStdout: true).trim() } } }
        stage('b') { STAGE; steps { sh "make ${X}"; MORE } }
    }
}
FILE
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PIPELINE", "environment { X = 'a' }"),
        ("PIPELINE", "parameters { string(name: 'X') }"),
        ("PIPELINE", 'post { always { echo "${X}" } }'),
        ("STAGE", "when { expression { X == 'a' } }"),
        ("STAGE", 'post { always { echo "${X}" } }'),
        ("MORE", "script { X = 'b' }"),
        ("MORE", "script { X += 'b' }"),
        ("MORE", "withEnv(['X=b']) { sh 'make' }"),
        ("FILE", "def show() { echo X }"),
    ],
)
def test_a_value_that_other_parts_know_stays_groovy(name: str, text: str) -> None:
    """Only the stage that sets it once, and the steps and the environment of later ones, know an output."""
    parts = {"PIPELINE": "", "STAGE": "environment { Y = 'y' }", "MORE": "", "FILE": ""} | {name: text}
    source = _STAGES
    for part, content in parts.items():
        source = source.replace(part, content)
    result, report = _from_text(source)

    assert "X = sh(script: 'date', returnStdout: true).trim()" in result.text
    assert "outputs" not in result.text
    assert '"script" of stage "a" stays Groovy: it contains Groovy' in messages(report)
    assert result.compiled.messages == ()


@pytest.mark.parametrize(
    ("name", "when", "more"),
    [
        ("a", "when { branch 'main' }", ""),
        ("a b", "when { branch 'main' }", ""),
        ("é", "", ""),
        ("a", "", "acmeTell X"),
    ],
)
def test_a_value_that_no_reference_can_read_stays_groovy(name: str, when: str, more: str) -> None:
    """The stage may be skipped, its name has no letters, or Groovy of the stage itself reads the value.

    The stage keeps its name.
    """
    script = f"script {{\nX = sh(script: 'date', returnStdout: true).trim()\n{more}\n}}"
    stages = f"stage('{name}') {{ {when}\nsteps {{ {script} }} }}\nstage('b') {{ steps {{ sh \"make ${{X}}\" }} }}"
    result, report = _from_text(f"pipeline {{ agent any\nstages {{\n{stages}\n}} }}")

    assert "outputs" not in result.text
    assert f'"script" of stage "{name}" stays Groovy' in messages(report)
    assert " becomes " not in messages(report)
    assert result.compiled.messages == ()


@pytest.mark.parametrize(
    ("first", "other", "name"),
    [
        ("Set up & go", "b", "Set-up-go"),
        ("🚀 a", "b", "a"),
        ("a b", "a  b", "a-b"),
        ("a b", "A-B", ""),
        ("inputs!", "b", ""),
    ],
)
def test_a_stage_whose_value_others_read_has_a_name_for_references(first: str, other: str, name: str) -> None:
    """It keeps its own name if the shorter one is that of another stage, or of values of pipegen."""
    script = "script { env.X = sh(script: 'date', returnStdout: true).trim() }"
    stages = f"stage('{first}') {{ steps {{ {script} }} }}\nstage('{other}') {{ steps {{ sh \"make ${{X}}\" }} }}"
    result, report = _from_text(f"pipeline {{ agent any\nstages {{\n{stages}\n}} }}")

    assert (f'X: "${{{name}.X}}"' in result.text) is (f'stage "{first}" becomes "{name}"' in messages(report))
    assert ("outputs:" in result.text) is (name != "")
    assert (f"- name: {name}\n" in result.text) is (name != "")
    proof = prove_stages(result)
    assert proof is not None
    assert proof.differences == ()


def test_a_stage_keeps_its_name_if_no_other_names_its_value() -> None:
    """A reference is only needed for stages that read the value."""
    script = "script { env.X = sh(script: 'date', returnStdout: true).trim() }"
    stages = f"stage('a b') {{ steps {{ {script} }} }}\nstage('b') {{ steps {{ sh 'make' }} }}"
    result, report = _from_text(f"pipeline {{ agent any\nstages {{\n{stages}\n}} }}")

    assert "name: a b" in result.text
    assert '"script" of stage "a b" stays Groovy' in messages(report)


def test_a_variable_of_a_stage_that_may_be_skipped_stays_groovy() -> None:
    """Also if all later stages have it, so that it would be one of the defaults."""
    script = "script { env.X = sh(script: 'date', returnStdout: true).trim() }"
    stages = [f"stage('a') {{ when {{ branch 'main' }}; steps {{ {script} }} }}"]
    stages += [f"stage('{name}') {{ steps {{ sh 'make {name} $X' }} }}" for name in "bcd"]
    result, _ = _from_text(f"pipeline {{ agent any\nstages {{\n{chr(10).join(stages)}\n}} }}")

    assert script in result.text
    assert "outputs" not in result.text
    assert result.compiled.messages == ()


def test_values_that_stay_groovy_one_after_the_other_leave_a_config_that_compiles() -> None:
    """Each stage sets a value, for which it reads that of the stage before it; Groovy of the last one reads its own."""
    script = 'script {{ V{0} = sh(script: "next ${{V{1}}}", returnStdout: true).trim() }}'
    stages = [f"stage('s{number}') {{ steps {{ {script.format(number, number - 1)} }} }}" for number in range(1, 12)]
    last = (
        "stage('last') { steps { script { V12 = sh(script: \"a ${V11}\", returnStdout: true).trim(); acmeTell V12 } } }"
    )
    result, _ = _from_text(f"pipeline {{ agent any\nstages {{\n{chr(10).join([*stages, last])}\n}} }}")

    assert "outputs" not in result.text
    assert result.compiled.messages == ()


def test_a_step_gets_the_computed_variables_that_it_names() -> None:
    """If one contains another, it is set inside it; steps that name none are unchanged."""
    environment = """environment {
        SHORT = sh(script: 'git rev-parse --short HEAD', returnStdout: true).trim()
        VERSION = "1.0-${SHORT}"
        LOGIN = credentials('login')
    }"""
    steps = "acmeTell env.VERSION\nacmeUser(env.LOGIN_USR, env.LOGIN_PSW)\nacmeEnd 'x'"
    result, _ = _from_text(
        f"pipeline {{ agent any\n{environment}\nstages {{ stage('a') {{ steps {{\n{steps}\n}} }} }} }}"
    )
    (job,) = result.compiled.plans[0].jobs
    texts = [call.text.replace("\n", " ") for call in job.plugin_steps.after] if job.plugin_steps else []

    assert [" ".join(text.split()) for text in texts] == [
        (
            "withEnv([\"SHORT=${sh(script: 'git rev-parse --short HEAD', returnStdout: true).trim()}\"]) { "
            'withEnv(["VERSION=1.0-${SHORT}"]) { acmeTell env.VERSION } }'
        ),
        (
            'withEnv(["LOGIN_USR=${env.LOGIN_USERNAME}", "LOGIN_PSW=${env.LOGIN_PASSWORD}"]) { '
            "acmeUser(env.LOGIN_USR, env.LOGIN_PSW) }"
        ),
        "acmeEnd 'x'",
    ]
    assert _differences(result) == []


def test_steps_that_call_a_refused_function_are_left_out() -> None:
    """The generated file has a function of this name."""
    functions = "def noFork(text) { echo text }\ndef other(text) { echo text }\nimport a.Thing\nshown = Thing.new()\n"
    steps = "noFork('x')\nother('a')\nscript { echo shown }\nacmeTell 'b'\nsh 'x'\nsh 'y'"
    result, report = _from_text(f"{functions}{_with_script('x = 1').replace('script {', steps + chr(10) + 'script {')}")

    reason = '"definitions" has a function "noFork", and so has the generated file'
    assert f'"targets.definitions" is left out, because a config refuses it: {reason}' in messages(report)
    assert messages(report).count("which no Groovy of the config sets") == 3
    assert "steps:\n          jenkins:" in result.text
    assert "acmeTell" in result.text
    assert result.compiled.messages == ()


def test_a_function_in_place_of_a_step_stays_unless_the_generated_file_calls_that_step() -> None:
    """A stage whose Groovy calls the function is Groovy; a `checkout` of the file would replace that of all stages."""
    text = "def {0}(text) {{ echo text }}\npipeline {{ agent any\nstages {{ stage('a') {{ steps {{ {0} 'x' }} }} }} }}"
    kept, _ = _from_text(text.format("sh"))
    refused, report = _from_text(text.format("checkout"))

    assert "definitions: def sh(text) { echo text }" in kept.text
    assert "jenkins: [sh 'x']" in kept.text
    assert "definitions" not in refused.text
    assert 'has a function "checkout", which the generated file calls in place of the step' in "".join(messages(report))


def test_libraries_and_variables_in_comments_and_texts_are_not_read() -> None:
    """Jenkins refuses a file that loads a library with two versions, and nothing sets a variable there."""
    comments = "// @Library('acme@v1') _\n/* @Library('tools') */\n@Library('acme@v2') _\n// env.PLACE = 'x'\n"
    steps = "sh 'echo \"@Library(\\'x\\') env.PLACE = x\"'\nsh \"make ${env.PLACE}\""
    result, _ = _from_text(comments + _with_script("x = 1").replace("script {", f"{steps}\nscript {{"))

    assert "libraries: [acme@v2]" in result.text
    assert "make ${PLACE:-null}" in result.text


def _with_script(block: str) -> str:
    steps = "script {\n" + block.replace("; ", "\n") + "\n}"
    return f"pipeline {{ agent any; stages {{ stage('a') {{ steps {{\n{steps}\n}} }} }} }}"


@pytest.mark.parametrize(
    "text",
    [
        "node { sh 'make' }",
        "pipeline { agent any }",
        "pipeline { stages { stage(name) { steps { sh 'x' } } } }",
        "buildPlugin(useContainerAgent: true)",
        "pipeline { stages { stage('a') {",
    ],
)
def test_another_file_is_refused_at_its_line(text: str) -> None:
    """Scripted files and library calls have no stages that can be read."""
    report = Report()
    with pytest.raises(Stopped):
        import_jenkins(SourceFile("Jenkinsfile", text), report)

    is_declarative = text.startswith("pipeline")
    (refusal,) = report.diagnostics()

    assert "this Jenkinsfile cannot be imported" in refusal.message
    assert ("correct it if Jenkins refuses it, too" in (refusal.hint or "")) == is_declarative


_POST = """\
pipeline {
    agent any
    stages {
        stage('build') { steps { sh 'make' } }
        stage('test') { steps { sh 'make test' } }
    }
    post {
        always {
            archiveArtifacts artifacts: 'output/**'
            sh 'docker compose down'
        }
        success { archiveArtifacts artifacts: 'dist/*.whl' }
    }
}
"""


def test_post_of_the_pipeline_has_its_environment() -> None:
    """Variables, secrets, and values of commands."""
    environment = """environment {
        LEVEL = 'full'
        TOKEN = credentials('token')
        SHORT = sh(script: 'git rev-parse --short HEAD', returnStdout: true).trim()
    }"""
    result, _ = _from_text(_POST.replace("agent any", f"agent any\n{environment}"))
    jobs = {job.title: job for job in result.compiled.plans[0].jobs}
    end = jobs["always"]
    (commands,) = (step for step in end.steps if isinstance(step, Commands))

    assert [credential.id for credential in end.secrets] == ["token"]
    assert [name for name, _ in commands.env] == ["LEVEL"]
    assert commands.lines[0].script.parts == ('SHORT="$(git rev-parse --short HEAD)"\nexport SHORT',)


def test_files_that_post_of_the_pipeline_archives_are_kept() -> None:
    """For a result that a config does not know, the step stays Groovy."""
    unstable = "unstable { archiveArtifacts artifacts: 'odd/*.log' }"
    result, report = _from_text(_POST.replace("        success {", f"        {unstable}\n        success {{"))
    proof = prove_stages(result)

    assert "artifacts: { paths: [output/**], when: always }" in result.text
    assert "artifacts: { paths: [dist/*.whl], when: always }" in result.text
    assert "archiveArtifacts artifacts: 'odd/*.log'" in result.text
    assert messages(report).count("PG851") == 1
    assert proof is not None
    assert proof.differences == ()


def test_a_file_that_is_not_archived_is_a_difference() -> None:
    """The proof compares the files of stages and of `post` of the pipeline."""
    result, _ = _from_text(_POST)
    text = result.text.replace("        artifacts: { paths: [output/**], when: always }\n", "")
    changed = replace(result, compiled=compiled(text, "jenkins"))
    proof = prove_stages(changed)

    assert text != result.text
    assert proof is not None
    assert [difference.message for difference in proof.differences] == ['stage "always" does not archive "output/**"']


def test_directives_on_one_line_are_reported() -> None:
    """Groovy reads them as one chain of calls, and Jenkins rejects the file."""
    source = _POST.replace("steps { sh 'make test' }", "steps { sh 'make test' } post { always { sh 'x' } }")
    result, report = _from_text(source)

    assert "this Groovy code is left out: a stage has only directives" in messages(report)
    assert result.count.number(KeyOutcome.REPORTED) == 1


def test_texts_of_several_lines_are_written_to_files() -> None:
    """All of their lines are text, and no commands of the script."""
    text = r"""pipeline { agent any; stages { stage('a') { steps {
        writeFile file: 'x', text: "it's ${BUILD_NUMBER}\n\n> \"b\"\n"
        sh 'make'
    } } } }
    """
    imported = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(imported)

    assert 'printf %s "it\'s ${setup.run}\n\n            > \\"b\\"\n            " >x' in imported.text
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("options", "directive", "is_fast"),
    [("", "failFast true", True), ("parallelsAlwaysFailFast()", "", True), ("", "failFast false", False)],
)
def test_fail_fast_lets_stages_that_run_finish(options: str, directive: str, *, is_fast: bool) -> None:
    """Jenkins stops them, which is reported once."""
    text = f"""pipeline {{ agent any
        options {{ {options} }}
        stages {{ stage('p') {{
            {directive}
            parallel {{
                stage('a') {{ steps {{ sh 'make a' }} }}
                stage('b') {{ steps {{ sh 'make b' }} }}
            }}
        }} }}
    }}
    """
    report = Report()
    imported = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert ("fail_fast: true" in imported.text) is is_fast
    assert messages(report).count('with "fail_fast", they finish') == is_fast


def test_spaces_at_the_ends_of_lines_in_texts_stay() -> None:
    """Groovy that stays has the same text in the config, except for its indentation."""
    kept = "withCredentials([[$class: 'Binding', credentialsId: 'a']]) {\n  sh ''' \t\n  make \n  '''  \n}"
    result, _ = _from_text(_POST.replace("sh 'make test'", f"\n{kept}\n"))
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()


_LOGIN = "usernameVariable: 'A_USERNAME', passwordVariable: 'A_PASSWORD'"


@pytest.mark.parametrize(
    ("binding", "secret"),
    [
        ("[$class: 'StringBinding', credentialsId: 'id', variable: 'TOKEN']", "{ TOKEN: id }"),
        ("[$class: 'FileBinding', credentialsId: 'id', variable: 'KEY']", "{ KEY: { file: id } }"),
        (f"[$class: 'UsernamePasswordMultiBinding', credentialsId: 'id', {_LOGIN}]", "{ A: { password: id } }"),
    ],
    ids=["string", "file", "password"],
)
def test_bindings_may_name_their_class(binding: str, secret: str) -> None:
    """This is the form of older files."""
    result, _ = _from_text(_POST.replace("sh 'make test'", f"withCredentials([{binding}]) {{ sh 'make test' }}"))

    assert f"secrets: {secret}" in result.text


def test_a_binding_of_an_unknown_class_stays_groovy() -> None:
    """The reason names the class."""
    binding = "[$class: 'AmazonWebServicesCredentialsBinding', credentialsId: 'id']"
    _, report = _from_text(_POST.replace("sh 'make test'", f"withCredentials([{binding}]) {{ sh 'make test' }}"))

    assert 'a config has no secret of the kind "AmazonWebServicesCredentialsBinding"' in messages(report)


def test_parameters_that_a_config_refuses_stay_groovy() -> None:
    """Git reads a variable of the name."""
    parameters = "    parameters { string(name: 'GIT_DIR', defaultValue: 'x', description: 'd') }\n    stages {"
    result, report = _from_text(_POST.replace("    stages {", parameters))

    assert 'Jenkinsfile:3:18: info[PG851] "string" of the pipeline stays Groovy: an input cannot be' in messages(report)
    assert result.count.number(KeyOutcome.REPORTED) == 0


_COMPUTED = """\
pipeline {
    agent any
    environment {
        FILE = readFile('x').trim()
        TAG = "v-${FILE}"
        COMMIT = sh(script: 'git rev-parse HEAD', returnStdout: true).trim()
        LOGIN = credentials('login')
    }
    stages {
        stage('a') { steps { sh 'echo $TAG' } }
        stage('b') {
            environment { COMMIT = 'fixed' }
            steps { sh 'echo $COMMIT $LOGIN_PSW' }
        }
        stage('c') {
            when { CONDITION }
            steps { sh 'make' }
        }
    }
}
"""


def test_computed_variables_are_set_before_those_that_contain_or_replace_them() -> None:
    """Only the stages that name them get those that Groovy computes."""
    text = _COMPUTED.replace("when { CONDITION }", "")
    imported = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    first, second, _ = YAML(typ="safe", pure=True).load(imported.text)["pipelines"]["ci"]["stages"]

    assert first["steps"]["jenkins"] == {"around": ["withEnv([\"FILE=${readFile('x').trim()}\"])"]}
    assert first["script"][0] == 'export TAG="v-${FILE}"'
    assert "steps" not in second
    assert second["script"][-2:] == ['export COMMIT="fixed"', "echo $COMMIT $LOGIN_PSW"]


@pytest.mark.parametrize(
    ("condition", "name"),
    [
        ("environment name: 'LOGIN_USR', value: 'me'", "LOGIN_USR"),
        ("expression { env.COMMIT == 'x' }", "COMMIT"),
    ],
)
def test_a_condition_on_a_value_of_the_agent_is_left_out(condition: str, name: str) -> None:
    """Only the script and the steps inside it know the value."""
    report = Report()
    import_jenkins(SourceFile("Jenkinsfile", _COMPUTED.replace("CONDITION", condition)), report)

    assert f'the value of {name} is known only on the agent. Stage "c" runs without it' in messages(report)


@pytest.mark.parametrize(
    ("choices", "listed"),
    [("['', 'a']", '["", a]'), (r"'x\n\ny\n'", 'x, "", "y"'), ("'one'", "[one]")],
)
def test_choices_may_be_empty(choices: str, listed: str) -> None:
    """The first one is the default."""
    text = f"""pipeline {{ agent any
        parameters {{ choice(name: 'KIND', choices: {choices}) }}
        stages {{ stage('a') {{ steps {{ sh 'make' }} }} }}
    }}
    """
    imported = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert listed in imported.text


@pytest.mark.parametrize(
    ("times", "cron"), [("@midnight", "H H(0-2) * * *"), ("@weekly", "H H * * H"), ("H 3 * * *",) * 2]
)
def test_names_of_times_become_the_times_of_jenkins(times: str, cron: str) -> None:
    """Other engines have other times for them."""
    result, _ = _from_text(_POST.replace("    stages {", f"    triggers {{ cron('{times}') }}\n    stages {{"))

    assert f"schedule: {cron}" in result.text


_AXES = "axes { axis { name 'OS'; values 'linux', 'mac' } }"


def test_commands_and_groovy_of_a_matrix_get_all_axes() -> None:
    """Axes are environment variables, which programs also read."""
    result, _ = _from_text(
        f"pipeline {{ agent any\n stages {{ stage('all') {{ matrix {{ {_AXES}\n stages {{\n"
        "stage('unit') { steps { sh 'make' } }\n"
        "stage('windows') { steps { bat 'make.cmd %OS%' } }\n"
        "} } } } }"
    )

    assert [bool(job.plugin_steps) for job in result.compiled.plans[0].jobs] == [False, False, True, True]
    assert 'defaults: { env: { OS: "${matrix.OS}" } }' in result.text


def test_variables_of_computed_ones_are_set_after_them() -> None:
    """Variables of `env` are set before the commands, in which the others would be empty."""
    result, report = _from_text(
        """pipeline {
            agent any
            environment { LOGIN = credentials('nexus'); AUTH = "${LOGIN_USR}:$LOGIN_PSW" }
            stages {
                stage('unit') {
                    environment { DAY = sh(script: 'date', returnStdout: true); NAME = "say \\"${DAY}\\" `x`" }
                    steps { sh './unit "$NAME" "$AUTH"' }
                }
            }
        }"""
    )
    script = result.text.split("script:\n")[1].split("\n\n")[0]

    assert [line.strip().removeprefix("- ") for line in script.split("\n")] == [
        'export LOGIN_USR="$LOGIN_USERNAME" LOGIN_PSW="$LOGIN_PASSWORD"',
        'export AUTH="${LOGIN_USR}:${LOGIN_PSW}"',
        "|-",
        'DAY="$(date)"',
        "export DAY",
        r'export NAME="say \"${DAY}\" \`x\`"',
        './unit "$NAME" "$AUTH"',
    ]
    assert "env:" not in result.text
    assert messages(report) == ""


@pytest.mark.parametrize(
    ("steps", "is_reported"),
    [
        ("options { timeout(5); retry(3) }\n steps { sh 'make' }", True),
        ("options { timeout(5) }\n steps { retry(3) { sh 'make' } }", True),
        ("steps { timeout(5) { retry(3) { sh 'make' } } }", True),
        ("steps { retry(3) { timeout(5) { sh 'make' } } }", False),
        ("options { retry(3); timeout(5) }\n steps { sh 'make' }", False),
    ],
)
def test_a_timeout_of_all_attempts_is_reported(steps: str, is_reported: bool) -> None:  # noqa: FBT001 - a parameter
    """A timeout of a config limits each attempt."""
    result, report = _from_text(f"pipeline {{ agent any\n stages {{ stage('unit') {{ {steps} }} }} }}")

    assert "timeout: 5 minutes" in result.text
    assert "retry: 2" in result.text
    assert ("limits each attempt" in messages(report)) is is_reported


def test_attempts_of_attempts_stay_groovy() -> None:
    """A stage has one number of attempts."""
    result, _ = _from_text(
        "pipeline { agent any\n stages { stage('unit') { steps { retry(2) { retry(3) { sh 'make' } } } } } }"
    )

    assert "retry: 1" in result.text
    assert "retry(3) { sh 'make' }" in result.text
