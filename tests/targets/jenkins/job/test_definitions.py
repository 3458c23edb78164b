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
      - { name: d, script: x }
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
