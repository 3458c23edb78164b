"""Shared libraries and functions in imports of a Jenkinsfile: names of libraries are a setting, others stay Groovy."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
LIBRARIES
pipeline {
    agent any
    DIRECTIVE
    stages {
        stage('A') { steps { sh 'make' } }
    }
}
"""
_RETRIEVED = "library identifier: 'a@1', retriever: legacySCM(scm)"


def _imported(libraries: str, directive: str = "") -> tuple[JenkinsImport, str]:
    report = Report()
    source = _SOURCE.replace("LIBRARIES", libraries).replace("DIRECTIVE", directive)
    return import_jenkins(SourceFile("Jenkinsfile", source), report), messages(report)


@pytest.mark.parametrize(
    ("libraries", "names"),
    [
        ("@Library('a@1') _", "[a@1]"),
        ("@Library(value='a@1') _", "[a@1]"),
        ("@Library(value = ['a@1', 'b']) _", "[a@1, b]"),
        ("@Library('a@1') _\n@Library('b') __", "[a@1, b]"),
        ("library 'a@1'", "[a@1]"),
        ("library identifier: 'a@1'", "[a@1]"),
        ("@Library('a@1') _\nlibrary('b')", "[a@1, b]"),
    ],
)
def test_names_of_libraries_are_a_setting(libraries: str, names: str) -> None:
    """Those of annotations come first."""
    result, reported = _imported(libraries)

    assert f"libraries: {names}" in result.text
    assert "definitions" not in result.text
    assert reported == ""


@pytest.mark.parametrize(
    "libraries",
    [
        "@Library(value='a@1', changelog=false) _",
        "@Library(name()) _",
        _RETRIEVED,
        "library('a@1', changelog: false)",
        'library "a@${env.BRANCH_NAME}"',
    ],
)
def test_libraries_with_other_arguments_stay_groovy(libraries: str) -> None:
    """They were lost: the setting has only names."""
    result, reported = _imported(libraries)

    assert libraries in result.generated[0].text
    assert "libraries:" not in result.text
    assert 'PG851] this Groovy code stays in "definitions" of Jenkins' in reported


def test_a_library_of_the_directive_without_a_constant_name_is_reported() -> None:
    """The others are in the setting."""
    result, reported = _imported("", 'libraries { lib("a@1"); lib("b@${params.X}") }')

    assert "libraries: [a@1]" in result.text
    assert 'warning[PG850] "lib" is left out: its name is known only at run time' in reported


@pytest.mark.parametrize("imports", ["import a.b.*", "import static a.B.*\n", "import a.*\nimport b.C"])
def test_an_import_of_all_names_ends_with_its_line(imports: str) -> None:
    """The pipeline is no part of it."""
    report = Report()
    source = f"{imports}\npipeline {{\nagent any\nstages {{ stage('A') {{ steps {{ tell C.text() }} }} }} }}"
    result = import_jenkins(SourceFile("Jenkinsfile", source), report)

    assert "left out" not in messages(report)
    assert all(line in result.text for line in imports.strip().split("\n"))
    assert "tell C.text()" in result.text


@pytest.mark.parametrize(
    ("function", "step", "config"),
    [
        ("def build(name) { make(name) }", "build('a')", "jenkins: [build('a')]"),
        ("void build(String name = 'b', int number) { make(name) }", "build(1)", "jenkins: [build(1)]"),
        ("def build(Map<String, String> options) { make(options) }", "build(job: 'a')", "\"build(job: 'a')\""),
        ("def error(text) { echo(text) }", "error 'a'", "jenkins: [error 'a']"),
        ("def dir(body) { body() }", "dir { sh 'make' }", "around: [dir]"),
        ("def build(name, number) { make(name) }", "build('a')", "trigger: { name: a, wait: true }"),
        ("def checkout() { checkout scm }", "checkout scm; sh 'make'", "name: A, script: [make]"),
    ],
)
def test_a_function_of_the_file_replaces_the_step_of_its_name(function: str, step: str, config: str) -> None:
    """Groovy calls a method of the script before a step, if it has this number of parameters."""
    source = _SOURCE.replace("LIBRARIES", function).replace("DIRECTIVE", "").replace("sh 'make'", step)
    text = import_jenkins(SourceFile("Jenkinsfile", source), Report()).text

    assert config in text


def test_a_function_replaces_a_step_after_the_pipeline() -> None:
    """The stages in `finally` call it, too."""
    stage = "stages { stage('B') { steps { sh 'make' } } }"
    source = _SOURCE.replace("LIBRARIES", "def build(name) { make(name) }").replace(
        "DIRECTIVE", "post { always { build('a') } }"
    )
    source = source.replace("stages {", stage.removesuffix(" }"))
    result = import_jenkins(SourceFile("Jenkinsfile", source), Report())

    assert "- { name: always, steps: { jenkins: [build('a')], elsewhere: skip } }" in result.text
