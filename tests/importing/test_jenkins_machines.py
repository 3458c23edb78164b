"""Blocks of a Jenkinsfile that say where all steps of a stage run, and steps that follow these in any case."""

from __future__ import annotations

import pytest
from importing.samples import messages

from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import compiled
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile
from pipegen.structs import replace

_FILE = "pipeline { agent AGENT; stages { stage('A') { steps { STEPS }; POST } } }\n"
_JUNIT = "junit testResults: 'x.xml', allowEmptyResults: true, skipMarkingBuildUnstable: true"


def _imported(steps: str, agent: str = "any", post: str = "", functions: str = "") -> tuple[JenkinsImport, str]:
    """Return the import of a pipeline with *steps* and *functions*, and its diagnostics."""
    report = Report()
    text = _FILE.replace("AGENT", agent).replace("STEPS", steps).replace("; POST", f"; {post}" if post else "")
    result = import_jenkins(SourceFile("Jenkinsfile", text + functions), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result, messages(report)


def _stage(result: JenkinsImport) -> str:
    """Return the text of the stages of *result* on one line."""
    return " ".join(result.text.partition("stages:")[2].partition("targets:")[0].split())


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("docker.image('go:1').inside { sh 'x' }", "image: go:1"),
        ("docker.image('go:1').inside() { sh 'x' }", "image: go:1"),
        ("docker.image('reg.io/go:1').inside { sh 'x' }", "image: reg.io/go:1"),
        (
            "docker.image('go:1').inside('-u root -v /a:/a') { sh 'x' }",
            "image: { name: go:1, user: root, args: [-v, /a:/a] }",
        ),
        ("docker.image('go:1').inside('--entrypoint=\"\"') { sh 'x' }", "image: { name: go:1, entrypoint: [] }"),
        ("docker.image('go:1').inside('--entrypoint=sh') { sh 'x' }", "image: { name: go:1, entrypoint: [sh] }"),
        (
            "docker.image('go:1').pull(); docker.image('go:1').inside { sh 'x' }",
            "image: { name: go:1, pull: always }",
        ),
        (
            "docker.withRegistry('https://reg.io', 'login') { docker.image('go:1').inside { sh 'x' } }",
            "image: { name: reg.io/go:1, credentials: login }",
        ),
        (
            "docker.image('go:1').inside { timeout(5) { withEnv(['A=b']) { sh 'x' } } }",
            "image: go:1, env: { A: b }, script: [x], timeout: 5 minutes",
        ),
    ],
)
def test_an_image_around_all_steps_is_that_of_the_stage(image: str, expected: str) -> None:
    """Its options, its registry and its download are keys of the image."""
    result, reported = _imported(f"checkout scm; script {{ {image} }}")

    assert expected in _stage(result)
    assert "steps:" not in result.text
    assert reported == ""


@pytest.mark.parametrize(
    ("steps", "kept"),
    [
        # A command after the container, or before it.
        ("docker.image('a').inside { sh 'x' }; sh 'b'", "docker.image('a').inside { sh 'x' }"),
        ("sh 'b'; docker.image('a').inside { sh 'x' }", "docker.image('a').inside { sh 'x' }"),
        # A step of a plugin in it.
        ("docker.image('a').inside { sh 'x'; deploy() }", "docker.image('a').inside { sh 'x'; deploy() }"),
        # An image of another step, and options with quotes.
        ("docker.image(built()).inside { sh 'x' }", "docker.image(built()).inside { sh 'x' }"),
        ("docker.image('a').inside(\"-v '/a b':/a\") { sh 'x' }", "{ sh ''x'' }"),
        ("docker.image('b').pull(); docker.image('a').inside { sh 'x' }", "docker.image('b').pull()"),
        # The folder is all that the container has.
        ("dir('sub') { docker.image('a').inside { sh 'x' } }", "docker.image('a').inside { sh 'x' }"),
        ("sshagent(['k']) { docker.image('a').inside { sh 'x' } }", "docker.image('a').inside { sh 'x' }"),
    ],
)
def test_an_image_stays_groovy_if_anything_is_in_the_way(steps: str, kept: str) -> None:
    """What is outside the container does not move into it."""
    result, _ = _imported(f"script {{ {steps} }}")

    assert kept in result.text
    assert "image:" not in result.text


def test_commands_of_post_do_not_run_in_the_image() -> None:
    """Files and reports are the same outside the container."""
    image = "script { docker.image('a').inside { sh 'x' } }"
    with_command, _ = _imported(image, post="post { always { sh 'docker ps' } }")
    with_report, _ = _imported(image, post=f"post {{ always {{ {_JUNIT} }} }}")

    assert "image:" not in with_command.text
    assert "docker.image('a').inside { sh 'x' }" in with_command.text
    assert "image: a, script: [x], reports: { junit: x.xml }" in _stage(with_report)


def test_commands_of_the_pipelines_post_do_not_run_in_the_image_of_its_only_stage() -> None:
    """They are a stage in `finally`, and reports are those of the stage."""
    text = "pipeline { agent any; stages { stage('A') { steps { script { docker.image('a').inside { sh 'x' } } } } }"
    post = f"post {{ always {{ {_JUNIT}; sh 'docker ps' }} }} }}\n"
    result = import_jenkins(SourceFile("Jenkinsfile", f"{text}; {post}"), Report())

    assert "name: A image: a script: [x] reports: { junit: x.xml }" in _stage(result)
    assert "name: always script: [docker ps]" in _stage(result)


@pytest.mark.parametrize(
    ("agent", "steps", "expected"),
    [
        ("none", "node('linux && x') { checkout scm; sh 'b' }", "agent: [linux, x], script: [b]"),
        ("none", "node { sh 'b' }", "{ name: A, script: [b] }"),
        ("none", "node('') { sh 'b' }", "{ name: A, script: [b] }"),
        (
            "none",
            "timeout(5) { node('x') { sh 'b'; deploy() } }",
            "agent: x script: [b] timeout: 5 minutes steps: { jenkins: [deploy()]",
        ),
        ("none", "node('x') { script { docker.image('a').inside { sh 'b' } } }", "agent: x, image: a, script: [b]"),
        # The stage has an agent, and other steps have none.
        ("any", "node('x') { sh 'b' }", "around: [node('x')]"),
        ("none", "node('x') { sh 'b' }; node('z') { sh 'c' }", "node('x') { sh 'b' }"),
    ],
)
def test_a_node_around_all_steps_is_the_agent_of_the_stage(agent: str, steps: str, expected: str) -> None:
    """A stage with an agent keeps the block."""
    result, _ = _imported(steps, agent)

    assert expected in _stage(result)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (f"try {{ sh 'x' }} finally {{ {_JUNIT} }}", "{ name: A, script: [x], reports: { junit: x.xml } }"),
        (
            "try { timeout(5) { sh 'x' } } finally { archiveArtifacts artifacts: 'l.txt', allowEmptyArchive: true }",
            "artifacts: { paths: [l.txt], when: always } timeout: 5 minutes",
        ),
        ("try { sh 'x' } finally { sh 'b || true' }", "{ name: A, script: [x], after: [b || true] }"),
        (
            "try { sh 'x' } finally { sh returnStatus: true, script: 'b' }",
            "{ name: A, script: [x], after: [b || true] }",
        ),
        (
            f"try {{ sh 'x' }} finally {{ {_JUNIT} }}; archiveArtifacts artifacts: 'a', allowEmptyArchive: true",
            "{ name: A, script: [x], artifacts: [a], reports: { junit: x.xml } }",
        ),
        (
            "try { sh 'x' } catch (e) { archiveArtifacts artifacts: 'a', allowEmptyArchive: true; throw e }",
            "name: A script: [x] artifacts: { paths: [a], when: failure }",
        ),
        (
            f"docker.image('a').inside {{ try {{ sh 'x' }} finally {{ {_JUNIT} }} }}",
            "{ name: A, image: a, script: [x], reports: { junit: x.xml } }",
        ),
    ],
)
def test_what_follows_in_any_case_is_like_post(steps: str, expected: str) -> None:
    """`finally` is `always`, also in an image and in a function."""
    in_script, reported = _imported(f"script {{ {steps} }}")
    in_function, _ = _imported("work()", functions=f"def work() {{ {steps} }}\n")

    assert expected in _stage(in_script)
    assert expected in _stage(in_function)
    assert reported == ""


@pytest.mark.parametrize(
    "steps",
    [
        f"try {{ sh 'x' }} catch (e) {{ sh 'z' }} finally {{ {_JUNIT} }}",
        "try { sh 'x' } catch (e) { sh 'z'; throw new Exception() }",
        "try { sh 'x' } catch (e) { echo e.message; throw e }",
        # The steps would follow each attempt.
        "try { retry(3) { sh 'x' } } catch (e) { slackSend 'z'; throw e }",
        # It follows a stopped build, not a failure.
        "try { sh 'x' } catch (FlowInterruptedException e) { sh 'z'; throw e }",
        "try { sh 'x' } catch (e) { sh 'z'; throw e } catch (Error f) { throw f }",
        f"try {{ sh 'x' }} finally {{ {_JUNIT} }}; sh 'b'",
        f"try {{ deploy() }} finally {{ {_JUNIT} }}",
        # The commands would have its variables, or its container.
        "try { withEnv(['A=b']) { sh 'x' } } finally { sh 'b' }",
        "try { docker.image('a').inside { sh 'x' } } finally { sh 'b' }",
        "try { sshagent(['k']) { sh 'x' } } finally { deploy() }",
    ],
)
def test_other_steps_that_follow_in_any_case_stay_groovy(steps: str) -> None:
    """The whole script stays, or the call of its function."""
    in_script, _ = _imported(f"script {{ {steps} }}")
    in_function, _ = _imported("work()", functions=f"def work() {{ {steps} }}\n")

    assert f"script {{ {steps} }}" in _stage(in_script).replace('"', "'").replace("''", "'")
    assert "jenkins: [work()]" in _stage(in_function)


def test_attempts_around_steps_that_follow_in_any_case_stay_groovy() -> None:
    """The steps would follow each attempt of a stage, too, but not in a config."""
    result, reported = _imported("retry(3) { script { try { sh 'x' } finally { slackSend 'z' } } }")

    assert "try { sh 'x' } finally { slackSend 'z' }" in _stage(result).replace("''", "'")
    assert "left out" not in reported


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("name: go:1", "name: go:2", 'the image of stage "A" is another one'),
        ("user: root", "user: app", 'the image of stage "A" is another one'),
        ("image: { name: go:1, user: root }, ", "", 'the image of stage "A" is another one'),
    ],
)
def test_another_image_is_a_difference(before: str, after: str, difference: str) -> None:
    """The comparison includes the name and the options of the image."""
    result, _ = _imported("script { docker.image('go:1').inside('-u root') { sh 'x' } }")

    assert before in result.text
    changed = compiled(result.text.replace(before, after), "jenkins")
    proof = prove_stages(replace(result, compiled=changed, generated=changed.files))
    assert proof is not None
    assert difference in [found.message for found in proof.differences]


def test_a_step_outside_of_the_image_is_a_difference() -> None:
    """The comparison reads from the source where each command runs."""
    result, _ = _imported("script { docker.image('go:1').inside { sh 'x' } }")
    (draft,) = result.config.drafts
    draft.work.has_machine = False
    proof = prove_stages(result)

    assert proof is not None
    assert [found.message for found in proof.differences] == ['a step of stage "A" does not run where the others do']


def test_a_cache_may_be_around_an_image() -> None:
    """Its files are in the workspace, inside and outside the container."""
    result, _ = _imported("cache(caches: []) { docker.image('go:1').inside { sh 'x' } }")

    assert "image: go:1 script: [x] steps: { jenkins: { around: [" in _stage(result)


def test_steps_of_a_catch_and_a_finally_stay_steps_of_the_stage() -> None:
    """Mails need no agent; other steps must run where the stage does."""
    mail = "catchError { mail to: 'a@b.c', subject: 's', body: 'b' }"
    steps = f"try {{ node('x') {{ try {{ sh 'b' }} finally {{ deploy() }} }} }} catch (e) {{ {mail}; throw e }}"

    result, reported = _imported(f"script {{ {steps} }}", "none")

    assert "agent: x script: [b] steps: jenkins: always: [deploy()] failure:" in _stage(result)
    assert "any failure and any stop of the stage" in reported

    elsewhere, _ = _imported(f"script {{ {steps.replace(mail, 'deploy()')} }}", "none")

    assert "failure:" not in _stage(elsewhere)


def test_functions_that_record_successes_have_no_meaning_in_imports() -> None:
    """The header says that pipegen has written them; the import leaves the mails out that they belong to."""
    report = Report()
    functions = "def succeeded(String stage) { successes.add(stage) }\n"
    stage = "stage('A') { steps { script { docker.image('a').inside { sh 'x' } }; succeeded('A') } }"
    text = f"@Field List successes = []\npipeline {{ agent any; stages {{ {stage} }} }}\n{functions}"
    header = '// Generated by pipegen from c.yaml. Do not edit: change that file and run "pipegen compile".\n'

    generated = import_jenkins(SourceFile("Jenkinsfile", header + text), report)
    own = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "{ name: A, image: a, script: [x] }" in _stage(generated)
    assert "definitions" not in generated.text
    assert "succeeded('A')" in _stage(own)
    assert "definitions" in own.text


def test_a_stage_that_only_starts_a_job_uses_no_agent() -> None:
    """It inherits that of the defaults, which the others share."""
    agent = "agent { label 'x' }"
    stages = (
        f"stage('A') {{ {agent}; steps {{ sh 'a' }} }}; stage('B') {{ {agent}; steps {{ sh 'b' }} }}; "
        "stage('C') { steps { build job: 'c' } }"
    )
    text = f"pipeline {{ agent none; stages {{ {stages} }} }}\n"
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(result)

    assert "defaults: { agent: x }" in result.text
    assert proof is not None
    assert proof.differences == ()


_IMAGE = "agent { docker { image 'go:1' } }"


@pytest.mark.parametrize(
    ("agent", "steps", "expected"),
    [
        (_IMAGE, "script { acme.each { sh 'x' } }", "script: ['true']"),
        (_IMAGE, "acme()", "script: ['true']"),
        (_IMAGE, "sh 'make'; acme()", "script: [make]"),
        (_IMAGE, "slackSend 'x'", ""),
        ("agent { label 'x' }", "script { acme.each { sh 'x' } }", ""),
    ],
)
def test_groovy_runs_in_the_image_of_a_stage_with_a_script(agent: str, steps: str, expected: str) -> None:
    """Without a script, Jenkins starts no container for the steps."""
    text = f"pipeline {{ agent none; stages {{ stage('A') {{ {agent}; steps {{ {steps} }} }} }} }}\n"
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(result)

    assert ("script: " in result.text) == bool(expected)
    assert expected.replace("'", '"') in result.text or expected in result.text
    assert ("docker {" in result.generated[0].text) == bool(expected)
    assert proof is not None
    assert proof.differences == ()


@pytest.mark.parametrize(
    ("agent", "section"),
    [
        ("agent { dockerfile true }", "steps { sh 'x'; script { acme.each { sh 'x' } } }"),
        ("agent { dockerfile true }", "steps { deploy('x') }"),
        (_IMAGE, "steps { sh 'x' }; post { failure { sh \"${acme()}\" } }"),
    ],
)
def test_groovy_outside_of_the_image_is_a_difference(agent: str, section: str) -> None:
    """A container that is not the agent of the stage is only around its script."""
    function = "def deploy(String where) { sh where }\n"
    text = f"{function}pipeline {{ agent none; stages {{ stage('A') {{ {agent}; {section} }} }} }}\n"
    proof = prove_stages(import_jenkins(SourceFile("Jenkinsfile", text), Report()))

    assert proof is not None
    messages = [difference.message for difference in proof.differences]
    assert messages == ['commands in Groovy of stage "A" do not run in its image']


@pytest.mark.parametrize("agent", ["label 'x'", "label { label 'x' }", "node { label 'x' }"])
def test_a_label_may_be_in_a_block(agent: str) -> None:
    """The block can have more options."""
    text = f"pipeline {{ agent {{ {agent} }}; stages {{ stage('A') {{ steps {{ sh 'a' }} }} }} }}\n"

    assert "agent: x" in import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


def test_stages_of_groovy_share_their_agent() -> None:
    """They inherit the agent of the defaults, too."""
    stages = "stage('A') { steps { acme() } }; stage('B') { steps { acme 'b' } }"
    text = f"pipeline {{ agent {{ label 'x' }}; stages {{ {stages} }} }}\n"

    assert "defaults: { agent: x }" in import_jenkins(SourceFile("Jenkinsfile", text), Report()).text


@pytest.mark.parametrize(
    ("stage", "has_script"),
    [
        ("agent any; steps { deploy 'x' }", True),
        ("agent { label 'y' }; steps { deploy 'x' }", False),
        ("agent none; steps { deploy 'x' }", False),
        ("agent any; steps { script { if (x) { deploy 'x' } } }", False),
        ('agent any; steps { build job: "${x.y}" }', False),
        ("agent any; steps { slackSend 'x' }", False),
    ],
)
def test_a_function_runs_on_any_agent_of_a_stage_with_a_script(stage: str, *, has_script: bool) -> None:
    """A stage without one takes an agent only if a step certainly needs it."""
    function = "def deploy(String where) { sh where }\n"
    text = f"{function}pipeline {{ agent none; stages {{ stage('A') {{ {stage} }} }} }}\n"
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())

    assert ('script: ["true"]' in result.text) is has_script


@pytest.mark.parametrize(("agent", "has_script"), [("any", False), ("none", False)])
def test_a_function_at_the_end_runs_on_the_agent_of_the_pipeline(agent: str, *, has_script: bool) -> None:
    """One that all stages share has no other label."""
    stages = "stage('A') { steps { build job: 'a' } }; stage('B') { steps { build job: 'b' } }"
    text = f"pipeline {{ agent {agent}; stages {{ {stages} }}; post {{ always {{ acme() }} }} }}\n"

    assert ('["true"]' in import_jenkins(SourceFile("Jenkinsfile", text), Report()).text) is has_script
