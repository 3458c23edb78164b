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


_DIRECTIVES = """\
pipeline { // beside the pipeline
    // any machine
    agent any
    /*
     * the environment
     */
    environment { A = '1' }
    options { // beside options
        // none at the start
        skipDefaultCheckout()
        timeout(time: 1, unit: 'HOURS')
    }
    // all stages
    stages {
        /* in groups
           of two */
        stage('both') { // beside the group
            // at the same time
            parallel {
                // first
                stage('a') { steps { sh 'ls */*' } }
                // second
                stage('b') {
                    agent { label 'b' } // where
                    when {
                        // one branch
                        branch 'main'
                    }
                    // the steps
                    steps {
                        // in a folder
                        dir('d') { // beside the folder
                            sh 'make' // beside make
                        }
                    }
                    // the end
                    post {
                        // in any case
                        always { // beside the condition
                            sh 'rm -f x || true'
                        }
                    }
                }
            }
        }
    }
    // after all
    post {
        // a failure
        failure {
            slackSend 'failed'
        }
    }
}
"""
_WITH_DIRECTIVES = """\
pipelines:
  # beside the pipeline
  # any machine
  ci:
    # beside options
    # none at the start
    timeout: 1 hour
    defaults:
      # the environment
      env: { A: "1" }
      fetch: false
    # all stages
    stages:
      # in groups
      # of two
      # beside the group
      # at the same time
      # first
      - name: a
        script: [ls */*]

      # second
      - name: b
        # one branch
        when: { branch: main }
        agent: b  # where
        # the steps
        script:
          # in a folder
          # beside the folder
          # beside make
          - (mkdir -p d && cd d && make)
        # the end
        # in any case
        # beside the condition
        after: [rm -f x || true]

      # a failure
      - { name: on failure, steps: { jenkins: [slackSend 'failed'], elsewhere: skip } }
    execution:
      - [[a, b]]
    # after all
    finally: { failed: [on failure] }
"""


def test_comments_about_directives_are_above_what_these_become() -> None:
    """Those about directives without a key of their own are above the pipeline or the stage."""
    result = import_jenkins(SourceFile("Jenkinsfile", _DIRECTIVES), Report())

    assert result.text == f"{_WITH_DIRECTIVES}\ntargets:\n  jenkins: {{}}\n"
