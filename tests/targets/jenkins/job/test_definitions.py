"""Groovy of the user before the stages."""

from __future__ import annotations

import pytest

from pipegen.importing.compilation import compiled

_STAGES = """\
pipelines:
  ci:
    stages:
      - { name: a, script: x, secrets: { T: t } }
      - { name: b, script: x }
      - { name: c, script: x }
      - name: d
        steps: { jenkins: { around: ["timeout(time: 1)"], after: [unstable('y'), echo 'z'] }, elsewhere: skip }
"""
_ORDER = "    execution: [[a, c], [a, d], [b, d]]\n"


def _config(text: str, order: str = "") -> str:
    lines = "".join(f"      {line}\n" if line else "\n" for line in text.split("\n"))
    return f"{_STAGES}{order}targets:\n  jenkins:\n    libraries: [acme]\n    definitions: |\n{lines}"


@pytest.mark.parametrize("order", ["", _ORDER], ids=["declarative", "scripted"])
def test_definitions_are_copied(order: str) -> None:
    """Before the stages in both styles, with their texts and empty lines."""
    text = "import a.B\nx = '''\n\n\n  y {\n\n}'''\ndef f(int a) {\n    return a\n}"
    config = compiled(_config(text, order), "jenkins")

    assert config.messages == ()
    assert f"@Library(['acme']) _\n\n{text}\n\n" in config.files[0].text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f() {", '"definitions" is not complete Groovy: "{" is not closed'),
        ("x = '''", '"definitions" is not complete Groovy: a string is not closed'),
        ("pipeline { agent any }", '"definitions" has a block "pipeline"'),
        ("node('x') { sh 'y' }", '"definitions" has a block "node"'),
        ("def noFork() { }", '"definitions" has a function "noFork", and so has the generated file'),
        ("def f() { stage('x') { sh 'y' } }", None),
    ],
)
def test_definitions_are_complete_and_have_names_of_their_own(text: str, message: str | None) -> None:
    """Everything that could break the rest of the file is an error."""
    messages = compiled(_config(text), "jenkins").messages

    assert [
        reported_message for reported_message in messages if message is not None and message in reported_message
    ] == list(messages)
    assert bool(messages) is (message is not None)


_SAME_NAME = '"definitions" has a function "{}", which the generated file calls in place of the step'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def sh(text) { echo text }", "sh"),
        ("def sh(Map options = [:], String text) { echo text }", "sh"),
        ("sh = { text -> echo text }", "sh"),
        ("def sh(String first, String second) { echo first }", ""),
        ("def sh() { echo 'x' }", ""),
        ("Map<String, Object> checkout(Map<String, Object> options) { return options }", "checkout"),
        ("def error(text) { unstable text }", "error"),
        ("def unstable(text) { unstable(message: text) }", ""),
        ("def scmGit(Map options, other = 1) { return options }", "scmGit"),
        ("def checkout(Object... all) { all[0] }", "checkout"),
        ("def checkout(Map options, Closure body) { }", ""),
        ("def unstash(name) { }", ""),
        ("Map steps = [:]\nsteps.sh = { text -> echo text }", ""),
        ("def timeout(Map options, Closure body) { body() }", ""),
        ("def f(x) { return sh(x) }", ""),
    ],
)
@pytest.mark.parametrize("order", ["", _ORDER], ids=["declarative", "scripted"])
def test_no_function_takes_the_place_of_a_step_that_the_generated_file_calls(order: str, text: str, name: str) -> None:
    """Jenkins looks for functions of the file before steps; it takes one with the number of arguments of the call."""
    messages = compiled(_config(text, order), "jenkins").messages

    assert [_SAME_NAME.format(name) in message for message in messages] == ([True] if name else [])


def test_functions_of_the_generated_file_are_refused_by_name() -> None:
    """Whatever their arguments are."""
    for name in ("checkoutCommit", "noFork", "addStage", "runStage"):
        messages = compiled(_config(f"def {name}(a, b, c) {{ }}", _ORDER), "jenkins").messages

        assert f'a function "{name}", and so has the generated file' in messages[0]
