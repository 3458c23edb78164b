"""Comments of a Jenkinsfile stay beside what they are about."""

from __future__ import annotations

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

_HEAD = """\
#!groovy
/*
 * Copyright of the owner
 */

// Builds and releases.
"""
_PIPELINE = """\
pipeline {
    // The fast machines
    agent { label 'linux' }
    options {
        // Longer builds hang.
        timeout(time: 1, unit: 'HOURS')
        timestamps() // for the log
    }
    triggers {
        cron('H 4 * * *') // each night
    }
    parameters {
        // For hotfixes only
        booleanParam(name: 'FORCE', defaultValue: false)
        string(name: 'TARGET', defaultValue: 'test') // or live
    }
    environment {
        // The registry of the team
        REGISTRY = 'registry.example.org'
        LEVEL = 'full' // quick in branches
        // From the vault
        TOKEN = credentials('token')
    }
    stages {
        stage('build') {
            // Only where it matters
            when { branch 'main' }
            environment {
                CACHE = '/cache' // on the machine
                LEVEL = 'all' // here
            }
            steps {
                sh 'make'
                // The old service
                slackSend message: 'built'
                // For the release
                archiveArtifacts 'out/*'
            }
        }
        stage('test') { steps { sh 'make test' } }
    }
}
"""


def _text(text: str) -> str:
    return import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


def test_comments_are_above_or_beside_what_lines_become() -> None:
    """Parameters, variables, settings, directives and steps that stay Groovy keep theirs."""
    lines = [line.strip() for line in _text(_PIPELINE).split("\n")]
    below = {line.removeprefix("# "): lines[at] for at, line in enumerate(lines, 1) if line.startswith("# ")}

    assert below == {
        "The fast machines": "agent: linux",
        "Longer builds hang.": "timeout: 1 hour",
        "For hotfixes only": "FORCE:",
        "The registry of the team": "REGISTRY: registry.example.org",
        "From the vault": "TOKEN: token",
        "Only where it matters": "when: { branch: main }",
        "The old service": "- \"slackSend message: 'built'\"",
        "For the release": "artifacts: [out/*]",
    }
    assert {line for line in lines if " # " in line} == {
        "timestamps: true  # for the log",
        "schedule: H 4 * * *  # each night",
        "TARGET: test  # or live",
        "CACHE: /cache  # on the machine",
        "LEVEL: all  # here",
        "LEVEL: full  # quick in branches",
    }


def test_comments_at_the_start_of_the_file_are_at_that_of_the_config() -> None:
    """The line for the interpreter and the signs of comments are left out."""
    text = _text(_HEAD + _PIPELINE)

    assert text.startswith("# Copyright of the owner\n#\n# Builds and releases.\n\ninputs:\n")


def test_a_comment_is_written_once() -> None:
    """Two stages have the variable, but the first has the comment."""
    stages = "stage('a') { agent any; steps { sh 'a' } }; stage('b') { agent any; steps { sh 'b' } }"
    text = _text(
        f"pipeline {{ agent none\n environment {{\n X = env.Y\n Z = '1' // one\n }}\n stages {{ {stages} }} }}"
    )

    assert text.count("# one") == 1
