"""Stages of a Jenkinsfile with `skipDefaultCheckout`, which have a checkout only if a step asks for it."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.source.text import SourceFile

_SOURCE = """\
pipeline {
    agent PIPELINE
    options { OPTION }
    stages {
        stage('Build') { AGENT; steps { checkout scm; sh 'make'; stash name: 'out', includes: 'o/**' } }
        stage('Upload') { AGENT; OPTIONS; steps { unstash 'out'; sh './upload' } }
        stage('Report') { AGENT; steps { sh './report' } }
    }
}
"""
_SKIPS = "skipDefaultCheckout()"


def _imported(text: str) -> tuple[JenkinsImport, str]:
    report = Report()
    return import_jenkins(SourceFile("Jenkinsfile", text), report), messages(report)


def _fetches(pipeline: str, agent: str, option: str, own: str = "") -> list[bool]:
    """Return whether each stage of the config fetches the repository."""
    own_options = f"options {{ {own} }}" if own else ""
    source = _SOURCE.replace("PIPELINE", pipeline).replace("AGENT", agent).replace("OPTIONS", own_options)
    result, _ = _imported(source.replace("OPTION", option).replace("; ;", ";").replace("{ ;", "{"))
    return [job.fetch is None or not job.fetch.is_skipped for job in result.compiled.plans[0].jobs]


@pytest.mark.parametrize(
    ("option", "own", "expected"),
    [
        (_SKIPS, "", [True, False, False]),
        ("timestamps()", _SKIPS, [True, False, True]),
        (_SKIPS, "skipDefaultCheckout(false)", [True, True, False]),
        ("skipDefaultCheckout(false)", "", [True, True, True]),
    ],
)
def test_stages_with_their_own_agent_fetch_if_a_step_does(option: str, own: str, expected: list[bool]) -> None:
    """The option of the stage counts before that of the pipeline."""
    assert _fetches("none", "agent any", option, own) == expected


def test_stages_in_one_workspace_have_its_checkout() -> None:
    """The option of a stage that has no agent of its own has no effect."""
    assert _fetches("any", "", _SKIPS) == [True, True, True]
    assert _fetches("any", "", "timestamps()", _SKIPS) == [True, True, True]


@pytest.mark.parametrize(("step", "fetches"), [("scan()", False), ("scan(); checkout scm", True)])
def test_a_stage_with_steps_of_plugins_only_has_the_checkout_of_its_own(step: str, *, fetches: bool) -> None:
    """It inherits the usual `fetch` of stages with a script, or removes it."""
    steps = {"a": "sh 'a'", "b": "sh 'b'", "c": step}
    stages = "\n".join(f"stage('{name}') {{ agent any; steps {{ {text} }} }}" for name, text in steps.items())
    result, _ = _imported(f"pipeline {{ agent none\noptions {{ {_SKIPS} }}\nstages {{\n{stages}\n}} }}")

    assert "defaults: { fetch: false }" in result.text
    assert not result.compiled.has_errors
    assert [job.fetch is None or not job.fetch.is_skipped for job in result.compiled.plans[0].jobs] == [
        False,
        False,
        fetches,
    ]


def test_a_checkout_of_a_shared_workspace_is_reported() -> None:
    """Such a workspace always has one in a config."""
    text = _SOURCE.replace("PIPELINE", "any").replace("AGENT; ", "").replace("OPTIONS; ", "").replace("OPTION", _SKIPS)
    _, reported = _imported(text.replace("checkout scm; ", ""))

    assert 'Jenkinsfile:3:15: warning[PG850] "skipDefaultCheckout" is left out: stages that share' in reported


@pytest.mark.parametrize(
    ("group", "count"),
    [
        ("agent any; stages { A; B }", 1),
        ("agent none; stages { A; B }", 0),
        ("agent any; stages { A }", 0),
        ("matrix { agent any; axes { axis { name 'OS'; values 'linux', 'mac' } }; stages { A; B } }", 1),
    ],
)
def test_stages_that_share_the_agent_of_a_group_are_reported(group: str, count: int) -> None:
    """They use the workspace that the agent around them has allocated."""
    stages = {name: f"stage('{name}') {{ steps {{ sh 'make {name}' }} }}" for name in "AB"}
    for name, stage in stages.items():
        group = group.replace(f"{name};", f"{stage};").replace(f" {name} }}", f" {stage} }}")
    _, reported = _imported(f"pipeline {{ agent none\nstages {{ stage('group') {{ {group} }} }}\n}}\n")

    assert reported.count("2 stages share the workspace of this agent: here each stage starts with") == count


@pytest.mark.parametrize("own", ["", "options { checkoutToSubdirectory('src') }; "])
def test_a_folder_for_the_checkout_is_reported(own: str) -> None:
    """It is an option of the checkout that Declarative adds, which a generated file does not have."""
    options = "" if own else "options { checkoutToSubdirectory('src') }"
    stage = f"stage('a') {{ {own}steps {{ sh 'make -C src' }} }}"
    result, reported = _imported(f"pipeline {{\nagent any\n{options}\nstages {{ {stage} }}\n}}\n")

    assert '"checkoutToSubdirectory" is left out: the checkout of a stage is the workspace itself' in reported
    assert "checkoutToSubdirectory" not in result.text


@pytest.mark.parametrize("step", ["sh './cleanup'", "mail to: 'a@example.org', subject: 'Bad', body: 'Bad'"])
def test_results_of_unsuccessful_that_start_nothing_are_reported(step: str) -> None:
    """A stage in `finally` and a mail concern failures, not unstable and canceled builds."""
    stages = "stages { stage('a') { steps { sh 'x' } }; stage('b') { steps { sh 'y' } } }"
    text = f"pipeline {{ agent any\n{stages}\npost {{ STATUS {{ {step} }} }} }}"
    _, reported = _imported(text.replace("STATUS", "unsuccessful"))
    _, of_failure = _imported(text.replace("STATUS", "failure"))

    assert 'Jenkinsfile:3:8: warning[PG850] "unsuccessful" runs after failures only' in reported
    assert of_failure == ""


def test_functions_know_the_variables_of_the_checkout() -> None:
    """A stage that calls one has the variables that it reads, or another one that it calls."""
    functions = "def tell(text) { send(text) }\ndef send(text) { notify commit: env.GIT_COMMIT, text: text }\n"
    stages = "stage('A') { steps { tell('a') } }; stage('B') { steps { sh 'make' } }"
    result, _ = _imported(
        f"{functions}pipeline {{ agent any; stages {{ {stages} }}; post {{ failure {{ tell('c') }} }} }}"
    )

    assert 'defaults: { env: { GIT_COMMIT: "${setup.commit}" } }' in result.text


@pytest.mark.parametrize(("option", "is_reported"), [("timestamps()", True), (_SKIPS, False)])
def test_variables_of_the_checkout_that_groovy_sets_are_reported(option: str, *, is_reported: bool) -> None:
    """The checkout of Declarative sets them around all steps, and a step `checkout` does not."""
    assignment = "env.GIT_BRANCH = sh(script: 'git branch', returnStdout: true).trim()"
    steps = f"script {{ {assignment}; if (env.GIT_URL == 'x') {{ y() }} }}"
    _, reported = _imported(
        f"pipeline {{ agent any; options {{ {option} }}; stages {{ stage('A') {{ steps {{ {steps} }} }} }} }}"
    )

    assert ('"GIT_BRANCH" keeps the value of the checkout' in reported) is is_reported
    assert '"GIT_URL" keeps' not in reported


@pytest.mark.parametrize(("folder", "is_raw"), [("sub", True), (".", False)])
def test_a_checkout_in_a_folder_stays_groovy(folder: str, *, is_raw: bool) -> None:
    """The checkout of a stage is the workspace itself, where commands in the folder do not read its files."""
    step = f"dir('{folder}') {{ checkout scm; sh './a' }}"
    result, reported = _imported(f"pipeline {{ agent any\nstages {{ stage('A') {{ steps {{ {step} }} }} }} }}")

    assert (step in result.text) is is_raw
    assert ('"dir" of stage "A" stays Groovy: the checkout of a stage is the workspace' in reported) is is_raw
