"""Functions with the steps that the combinations of a matrix share."""

from __future__ import annotations

import pytest
from engines.sized import built

_LINES = "./prepare, ./compile, ./link, ./strip"
_CALL = "steps {\nunitSteps()\n}"


def generated(*keys: str, axes: str = "v: ['3.1', '3.11', '3.12']", settings: str = "") -> str:
    """Return the unindented lines of the file of the matrix stage *keys*."""
    stage = ", ".join((f"name: unit, matrix: {{ {axes} }}", *keys))
    text = built(f"{settings}\npipelines: {{ p: {{ stages: [{{ {stage} }}] }} }}\n", "declarative").text
    return "\n".join(line.strip() for line in text.splitlines())


def test_combinations_call_one_function() -> None:
    """Axis values are variables in the environment of each, which scripts and Groovy read."""
    text = generated(
        f"script: [{_LINES}, 'tox -e ${{matrix.v}}']",
        "artifacts: ['out/${matrix.v}/']",
    )

    assert text.count(f"environment {{\nmatrix_v = '3.11'\n}}\n{_CALL}") == 1
    assert text.count(_CALL) == 3
    assert "// What each combination of stage unit does.\nvoid unitSteps() {\ncheckoutCommit()\n" in text
    assert './strip\ntox -e "$matrix_v"\n' in text
    assert 'archiveArtifacts artifacts: "out/${env.matrix_v}/", allowEmptyArchive: true' in text
    assert "matrix_v=" not in text


def test_ids_of_credentials_are_variables() -> None:
    """Each combination deploys with a secret of its own."""
    secrets = "secrets: { TOKEN: 'token-${matrix.v}', LOGIN: { password: '${matrix.v}' } }"
    text = generated(
        "lock: 'deploy-${matrix.v}'", secrets, f"script: [{_LINES}]", axes="v: [test, staging, production]"
    )

    assert text.count(f"environment {{\nmatrix_v = 'staging'\n}}\n{_CALL}") == 1
    binding = "string(credentialsId: \"token-${env.matrix_v}\", variable: 'TOKEN')"
    assert f"withCredentials([{binding}, usernamePassword(credentialsId: env.matrix_v, " in text
    assert text.count("./compile") == 1


def test_steps_without_values_need_no_variables() -> None:
    """Only the image of the combinations differs."""
    text = generated("image: 'python:${matrix.v}'", f"script: [{_LINES}, ./test]")

    assert text.count(_CALL) == 3
    assert "image 'python:3.11'" in text
    assert "matrix_v" not in text


def test_a_function_has_no_script_block() -> None:
    """It is Groovy, unlike `steps` of Declarative."""
    text = generated(
        f"script: [{_LINES}, './test ${{matrix.v}}']",
        "after: ['./report ${matrix.v}']",
        "steps: { jenkins: { around: ['lock(label: \"db\")'] } }",
    )

    function = text[text.index("void unitSteps()") :]
    assert "try {\n" in function
    assert 'lock(label: "db") {\n' in function
    assert "script {" not in text


def test_values_in_the_groovy_of_blocks_are_variables() -> None:
    """Texts in single quotes become texts with an expression."""
    text = generated(
        f"script: [{_LINES}, './test ${{matrix.v}}']",
        "steps: { jenkins: { before: [{ slackSend: { message: 'on ${matrix.v}' } }] } }",
        "cache: { key: 'pip-${matrix.v}', paths: [.pip] }",
        "services: ['db:${matrix.v}']",
        "image: 'app:${matrix.v}'",
    )

    assert text.count("unitSteps()") == 4
    assert 'slackSend(message: "on ${env.matrix_v}"' in text
    assert 'cacheName: "pip-${env.matrix_v}"' in text
    assert 'docker.image("app:${env.matrix_v}")' in text
    assert 'docker.image("db:${env.matrix_v}")' in text


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(("script: ['./test ${matrix.v}']",), id="short"),
        pytest.param(
            (f"script: [{_LINES}, ./t]", "steps: { jenkins: { before: [{ echo: { message: '\"${matrix.v}\"' } }] } }"),
            id="quote",
        ),
        pytest.param((f"script: [{_LINES}, './t ${{matrix.v}}']", "env: { Matrix_V: x }"), id="variable of the user"),
        pytest.param(
            (f"script: [{_LINES}, ./pack, ./sign, './t ${{matrix.v}}']", "env: { Matrix_V: x }"),
            id="variable of the user in all stages",
        ),
        pytest.param((f"script: [{_LINES}, './t $matrix_v']", "env: { A: '${matrix.v}' }"), id="read by the script"),
    ],
)
def test_other_combinations_keep_their_steps(keys: tuple[str, ...]) -> None:
    """These are short steps, and steps with texts that would change their meaning."""
    assert "unitSteps" not in generated(*keys)


def test_a_function_has_all_that_combinations_do() -> None:
    """The directives of each would be the same again."""
    text = generated(
        "agent: ['${matrix.v}']",
        "script: ['./test ${matrix.v}']",
        "env: { MODE: 'm-${matrix.v}' }",
        "retry: 2",
        "timeout: 5m",
        "reports: { junit: r.xml }",
        axes="v: [linux, arm, bsd]",
    )
    post = "junit testResults: 'r.xml', allowEmptyResults: true, skipMarkingBuildUnstable: true"

    assert text.count(f"') {{\nenvironment {{\nmatrix_v = 'arm'\n}}\n{_CALL}\n}}\n") == 1
    assert (
        """void unitSteps() {
withEnv(["MODE=m-${env.matrix_v}"]) {
retry(3) {
node(env.matrix_v) {
timeout(time: 5, unit: 'MINUTES') {
checkoutCommit()
try {
sh './test "$matrix_v"'
} finally {
"""
        + post
    ) in text
    assert "post {" not in text
    assert "options {\nretry" not in text


def test_a_function_sends_the_mail_of_the_stage_after_all_attempts() -> None:
    """It needs no record of what has succeeded."""
    text = generated(
        "script: ['./test ${matrix.v}']", "retry: 2", "image: 'app:1'", "notify: { email: { to: ops@example.org } }"
    )

    assert "void unitSteps() {\ntry {\nretry(3) {\nnode('') {\n" in text
    assert "} catch (error) {\ncatchError {\nmail to: 'ops@example.org'," in text
    assert ' p/${env.STAGE_NAME} failed"' in text
    assert "succeeded(" not in text


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("steps: { jenkins: [echo: { message: x }] }",), "agent any\n"),
        (("tools: { maven: M }", "retry: 1", "reports: { junit: r.xml }"), "junit testResults"),
        (("agent: { kubernetes: { yaml: 'a: b' } }", "retry: 1", "reports: { junit: r.xml }"), "kubernetes {\n"),
    ],
)
def test_directives_stay_that_a_function_would_not_shorten(keys: tuple[str, ...], expected: str) -> None:
    """Tools, which all have, would need another function, and pods have the same options as a step."""
    text = generated("script: [./test]", *keys)

    assert text.count(expected) == 3


def test_scripted_files_set_variables_around_the_steps() -> None:
    """A loop declares the combinations, with their steps. There, the container is one of these."""
    config = f"""
        pipelines:
          p:
            stages:
              - name: unit
                matrix: {{ v: ['3.1', '3.11', '3.12'] }}
                image: python:${{matrix.v}}
                script: [{_LINES}, './t ${{matrix.v}}']
    """
    text = "\n".join(line.strip() for line in built(config, "scripted").text.splitlines())

    loop = "['3.1', '3.11', '3.12'].each { matrix_v ->\n"
    call = 'addStage("unit: ${matrix_v}") {\nwithEnv(["matrix_v=${matrix_v}"]) {\ncheckoutCommit()\n'
    assert f'{loop}{call}docker.image("python:${{env.matrix_v}}").inside(' in text
    assert "unitSteps" not in text


def test_scripts_for_bash_are_shared() -> None:
    """Their first line is the same."""
    assert generated(f"script: [{_LINES}, ./pack, './t ${{matrix.v}}']", "shell: bash").count("unitSteps()") == 4


@pytest.mark.parametrize(
    ("axes", "keys"),
    [
        ("v: [a, $HOME]", ""),
        ("v: [a, 'a\\b']", ""),
        ("v: [a, '']", ""),
        ("v: [a, b c]", "artifacts: ['out/${matrix.v}/']"),
    ],
)
def test_values_with_signs_keep_their_steps(axes: str, keys: str) -> None:
    """Jenkins expands variables in an environment, removes empty ones, and a path would be another one."""
    text = generated(f"script: [{_LINES}, ./pack, './test ${{matrix.v}}']", *filter(None, [keys]), axes=axes)

    assert "unitSteps" not in text


def test_scripts_read_values_with_blanks_and_quotes() -> None:
    """They are in quotes there."""
    text = generated(f"script: [{_LINES}, './test ${{matrix.v}}']", axes="v: [-O2 -g, 'it''s \"a\"', '*']")

    assert "environment {\nmatrix_v = 'it\\'s \"a\"'\n}" in text
    assert text.count("unitSteps()") == 4
    assert './strip\n./test "$matrix_v"\n' in text


def test_outputs_may_be_files_with_values_in_their_paths() -> None:
    """All quotes of both paths are closed."""
    text = generated(
        f"script: [{_LINES}]",
        "outputs: { size: { file: 'out/${matrix.v}' } } }, { name: report, script: 'echo ${unit.size}'",
    )

    assert 'cat "out/$matrix_v" >".pipegen/outputs/unit-$matrix_v/size"\n' in text
    assert text.count("unitSteps()") == 4


def test_a_function_gets_a_name_that_definitions_do_not_use() -> None:
    """The user's own function stays as it is."""
    settings = "targets: { jenkins: { definitions: 'def unitSteps() { }' } }"

    assert generated(f"script: [{_LINES}, ./test, ./pack]", settings=settings).count("unitSteps2()") == 4


@pytest.mark.parametrize(("name", "function"), [("3 x", "steps3X"), ("тест", "stageSteps"), ("a-b_c", "aBCSteps")])
def test_any_name_makes_a_function(name: str, function: str) -> None:
    """A name in Groovy begins with a letter."""
    stage = f"name: '{name}', matrix: {{ v: [a, b, c] }}, script: [{_LINES}, ./t]"

    text = built(f"pipelines: {{ p: {{ stages: [{{ {stage} }}] }} }}\n", "declarative").text

    assert f"void {function}() {{" in text


def test_directives_stay_beside_functions_that_test_for_stashes() -> None:
    """An import would keep the function in Groovy."""
    keys = "outputs: { n: { command: 'echo 1' } }, reports: { junit: r.xml }, retry: 1, when: { branch: main }"
    stage = f"name: unit, matrix: {{ v: [a, b, c] }}, script: [{_LINES}], {keys}"
    reader = "{ name: last, script: ['echo ${unit.n|none}'] }"

    text = built(f"pipelines: {{ p: {{ stages: [{{ {stage} }}, {reader}] }} }}\n", "declarative").text

    assert text.count("post {") == 3
    assert text.count("retry(2)") == 3
    assert "hasStashed " in text


def test_combinations_build_their_images_in_one_function() -> None:
    """The name of the image is that of the combination."""
    text = generated("image: { dockerfile: Dockerfile }", f"script: [{_LINES}, './test ${{matrix.v}}']")

    assert text.count(_CALL) == 3
    assert "docker.image(builtImage(\"unit-${env.matrix_v}\", '--file=Dockerfile .')).inside(" in text
    assert "String builtImage(String stage, String arguments) {" in text
