"""Steps of plugins and libraries."""

from __future__ import annotations

import json

import pytest
from engines.jenkins_facts import facts
from engines.sized import built
from plan.sample_plans import job_of, plan_of, plans_of

from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import compiled
from pipegen.plan.model import Job, Plan
from pipegen.targets.jenkins.model import Echo, Wrapped
from pipegen.targets.jenkins.stages.known_steps import known_steps
from pipegen.targets.jenkins.stages.plugin_steps import check_plugin_steps, enclosed, names, needs_agent, plugin_steps
from pipegen.targets.jenkins.stages.raw import is_head
from pipegen.targets.jenkins.stages.scripts.values import GroovyTexts


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ('"cleanWs"', "cleanWs()"),
        ('"waitForQualityGate abortPipeline: true"', "waitForQualityGate abortPipeline: true"),
        ("\"tell('done }')\"", "tell('done }')"),
        ('"team.tell"', "team.tell()"),
        ("{team.tell: }", "team.tell()"),
        ("{tell: done}", "tell('done')"),
        (
            "{tell: {to: a, if: 1, 'c d': [1.5, -2, yes, {}, null]}}",
            "tell(to: 'a', if: 1, 'c d': [1.5, -2, true, [:], null])",
        ),
        ('{tell: {text: "it\'s $a\\n\\\\"}}', r"tell(text: 'it\'s $a\n\\')"),
        (
            "{junit: {testResults: a.xml, allowEmptyResults: true}}",
            "junit(testResults: 'a.xml', allowEmptyResults: true)",
        ),
        ('"x("', None),
        ('"x }"', None),
        ('"x { y }"', "x { y }"),
        ('"timeout(1) { y }"', "timeout(1) { y }"),
        ('"script {\\n  a\\n  b = 1 // }\\n}"', "script {\n  a\n  b = 1 // }\n}"),
        ('"git branch: a,\\n  url: b"', "git branch: a,\n  url: b"),
        ('"x { y"', None),
        ('"x { y ) }"', None),
        ('"x { y \'}"', None),
        ('"x { y } z"', None),
        ('"x { y }; z"', None),
        ('"x\\ny"', None),
        ('"x { /* }"', None),
        ('"x { y } // z"', None),
        ("\"'x'\"", None),
        ('"x // y"', None),
        ('"x; y"', None),
        ('""', None),
        ("{a b: 1}", None),
        ("{junit: {results: a.xml}}", None),
        ("{junit: {allowEmptyResults: true}}", None),
        ("{withEnv: [a]}", None),
        ('"withEnv([])"', None),
    ],
)
def test_steps_of_the_user(step: str, expected: str | None) -> None:
    """A call on one line, where a bare name is one, or a name with its parameters."""
    report = Report()
    plan = plan_of(f"[{{name: s, script: x, steps: {{jenkins: [{step}]}}}}]")
    (job,) = plan.jobs
    check_plugin_steps(job, plan, report)

    assert bool(report.diagnostics()) is (expected is None)
    assert expected is None or _statements(plan, job) == [expected]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("{tell: '${b.version}'}", "tell(output('b', 'version'))"),
        (
            "{tell: {to: 'v${b.version}', by: [x, '${inputs.who}']}}",
            "tell(to: \"v${output('b', 'version')}\", by: ['x', \"${params.who}\"])",
        ),
        ("{tell: '${.own}'}", "tell(readFile(file: '.pipegen/outputs/s/own', encoding: 'UTF-8'))"),
        ("{tell: '${setup.branch}'}", "tell(env.PIPEGEN_BRANCH ?: '')"),
        ("{tell: '$${b.version} $HOME'}", "tell('${b.version} $HOME')"),
        ("{tell: 'see ${BUILD_URL}'}", "tell('see ' + (env.BUILD_URL ?: ''))"),
        ("\"tell '${b.version}'\"", None),
        ("'tell \"${env.HOME}\"'", 'tell "${env.HOME}"'),
        ("{recordIssues: {tools: ['java()']}}", None),
        (
            "{recordIssues: {tools: [{java: {}}, {spotBugs: {pattern: a}}]}}",
            "recordIssues(tools: [java(), spotBugs(pattern: 'a')])",
        ),
        (
            "{tell: {items: [{name: x}, {name: {first: 1, last: 2}, age: 3}]}}",
            "tell(items: [[name: 'x'], [name: [first: 1, last: 2], age: 3]])",
        ),
        ("{tell: {to: {$each: one, $in: '${b.version}'}}}", None),
    ],
)
def test_values_of_steps(step: str, expected: str | None) -> None:
    """Values are data; text in Groovy contains no values."""
    report = Report()
    (plan,) = plans_of(
        "inputs: {who: me}\n"
        "pipelines: {p: {stages: [{name: b, script: x, outputs: [version]}, "
        f"{{name: s, script: x, outputs: [own], steps: {{jenkins: [{step}]}}}}]}}}}"
    )
    job = plan.jobs[1]
    check_plugin_steps(job, plan, report)

    assert bool(report.diagnostics()) is (expected is None)
    assert expected is None or _statements(plan, job) == [expected]


def _statements(plan: Plan, job: Job) -> list[str]:
    texts = GroovyTexts(plan, job, {other.stage: other for other in plan.jobs}, "output")
    return [step.text for step in plugin_steps(job.plugin_steps.after if job.plugin_steps else (), texts)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("steps: {jenkins: [waitForQualityGate]}", False),
        ("steps: {jenkins: [echo: a]}", False),
        ("steps: {jenkins: {before: [waitForQualityGate], after: [junit: a.xml]}}", True),
        ("steps: {jenkins: ['script { acmeScan() }']}", True),
        ("steps: {jenkins: ['echo \"in ${pwd()}\"']}", True),
        ("steps: {jenkins: ['echo \"in ${env.HOME}\"']}", False),
        ("steps: {jenkins: ['echo sh(script: ''x'', returnStdout: true)']}", True),
        ("steps: {jenkins: [{publishHTML: {target: {reportDir: site}}}]}", True),
        ("steps: {jenkins: ['recordIssues tools: [java()]']}", True),
        ("steps: {jenkins: [acmeScan]}, agent: linux", True),
        ("steps: {jenkins: [acmeScan]}, agent: linux || arm", True),
        ("steps: {jenkins: [acmeScan]}, image: node:22", True),
    ],
)
def test_a_stage_without_a_script_takes_an_agent_where_its_steps_need_one(keys: str, expected: bool) -> None:  # noqa: FBT001
    """Jenkins documents this for known steps; for others, the user states it."""
    assert needs_agent(job_of(f"{{name: s, {keys}}}")) is expected


def test_steps_choose_the_agent_of_a_shared_workspace_too() -> None:
    """A stage without a script has labels, or that of the setting."""
    stages = "[{name: a, agent: arm, steps: {jenkins: [acmeScan]}}, {name: b, steps: {jenkins: [junit: a.xml]}}]"
    pipeline = f"pipelines: {{ci: {{workspace: shared, stages: {stages}, execution: [[a, b]]}}}}"
    config = compiled(f"{pipeline}\ntargets: {{jenkins: {{agent: linux}}}}\n", "jenkins")

    assert config.messages == ()
    assert "label 'arm && linux'" in config.files[0].text


_STAGE = """\
pipelines:
  ci:
    stages:
      - name: a
        env: { LEVEL: full, TAG: "v-${setup.run}" }
        secrets: { TOKEN: api }
        steps:
          jenkins:
            - |-
              script {
                  if (env.LEVEL) { sh '''
              cat <<E
                a
              E
              ''' } // }
              }
            - acmeScan { image.push() }
            - "parallel(a: { echo 'x' })"
"""
_OTHERS = "".join(f"      - {{ name: {name}, script: x }}\n" for name in "bcd")
_ORDER = f"{_OTHERS}    execution: [[a, c], [a, d], [b, d]]\n"


@pytest.mark.parametrize("others", ["", _ORDER], ids=["declarative", "scripted"])
def test_steps_have_the_variables_and_credentials_of_their_stage(others: str) -> None:
    """This holds in both styles; their lines are indented, except those inside a text."""
    config = compiled(f"{_STAGE}{others}targets: {{ jenkins: {{}} }}\n", "jenkins")
    (file,) = config.files
    lines = [line.strip() for line in file.text.split("\n")]

    assert config.messages == ()
    assert "\ncat <<E\n  a\nE\n''' } // }\n" in file.text
    assert '"TAG=v-${env.BUILD_NUMBER}"' in file.text
    if others:
        assert "withCredentials([string(credentialsId: 'api', variable: 'TOKEN')]) {" in lines
        assert "withEnv(['LEVEL=full', \"TAG=v-${env.BUILD_NUMBER}\"]) {" in lines
    else:
        assert "TOKEN = credentials('api')" in lines
        for step in ("acmeScan { image.push() }", "parallel(a: { echo 'x' })"):
            assert lines[lines.index(step) - 1] == "script {"


_ENV = """\
pipelines:
  ci:
    stages:
      - name: a
        env: { LEVEL: full, RUN: "r-${setup.run}" }
        cases: [{ when: { branch: main }, env: { LEVEL: most, RUN: "m-${setup.run}" } }]
        script: [./a]
        steps: { jenkins: { {around}before: [{ echo: "${LEVEL}" }], always: [{ tell: "${LEVEL}" }] }, elsewhere: skip }
"""


@pytest.mark.parametrize("others", ["", _ORDER], ids=["declarative", "scripted"])
def test_blocks_read_the_variables_of_their_stage(others: str) -> None:
    """They are inside `withEnv`, so that `env` has these variables; steps in any case stay in the blocks."""
    text = _ENV.replace("{around}", "around: ['withEnv([\"X=${env.LEVEL}\"])'], ")
    (file,) = compiled(f"{text}{others}targets: {{ jenkins: {{}} }}\n", "jenkins").files
    block = file.text.index('withEnv(["X=${env.LEVEL}"]) {')
    env = "'LEVEL=full', \"RUN=r-" if others else "LEVEL = 'full'"
    assert file.text.index(env) < file.text.index("'LEVEL=most', \"RUN=m-${env.BUILD_NUMBER}\"") < block
    assert block < file.text.index("try {", block) < file.text.index("} finally {") < file.text.index("tell(")


_VALUES = """\
pipelines:
  ci:
    stages:
      - name: a
        tools: { jdk: jdk-21 }
        secrets: { TOKEN: t }
        env: { URL: "https://${TOKEN}@x", J: "${JAVA_HOME}/bin", P: "1" }
        cases: [{ when: { branch: main }, env: { P: "${TOKEN}" } }]
        script: [./a]
        steps: { jenkins: { around: ["dir(env.P)"], before: [{ echo: "${URL}" }] }, elsewhere: skip }
"""


@pytest.mark.parametrize("others", ["", _ORDER], ids=["declarative", "scripted"])
def test_blocks_and_variables_around_them_read_secrets_and_tools(others: str) -> None:
    """Jenkins computes the list of `withEnv` before it enters the block; it sets each value once."""
    (file,) = compiled(f"{_VALUES}{others}targets: {{ jenkins: {{}} }}\n", "jenkins").files
    tools, secrets = "withTools([['jdk', 'jdk-21', 'JAVA_HOME']]) {", "withCredentials([string(credentialsId: 't'"
    if not others:
        tools, secrets = "tools {", "TOKEN = credentials('t')"
    url, case = "'URL=https://' + (env.TOKEN ?: '') + '@x', 'J=' + (env.JAVA_HOME ?: '') + '/bin'", "['P=' + (env.TOKEN"
    steps = ("dir(env.P) {", "echo(env.URL ?: '')", "./a\n")
    positions = [file.text.index(text) for text in (url, case, *steps)]

    assert positions == sorted(positions)
    assert max(file.text.index(tools), file.text.index(secrets)) < positions[0]
    assert [file.text.count(text) for text in (tools, secrets, url, case)] == [1] * 4


def test_a_script_in_a_block_has_the_other_tools_and_credentials_that_it_needs() -> None:
    """Tools in settings are those of scripts, and only a script logs in to the registry."""
    stage = "{ name: a, script: x, steps: { jenkins: { around: [\"dir('b')\"], before: [first] }, elsewhere: skip } }"
    settings = "targets: { jenkins: { tools: { jdk: jdk-21 } } }"
    (file,) = compiled(f"pipelines: {{ ci: {{ stages: [{stage}] }} }}\n{settings}\n", "jenkins").files
    positions = [file.text.index(text) for text in ("dir('b') {", "first()", "withTools([[", "sh 'x'")]

    assert positions == sorted(positions)


@pytest.mark.parametrize(
    ("step", "definitions", "has_tools"),
    [
        ("sh 'mvn verify'", "", True),
        ("dir('a') { sh 'mvn verify' }", "", True),
        ("script { verify() }", "def verify() { sh 'mvn verify' }", True),
        ("script { verify() }", "", False),
        ("archiveArtifacts 'x'", "def verify() { sh 'mvn verify' }", False),
        ("script { if (a) { echo 'x' } }", "a = 1", False),
    ],
)
@pytest.mark.parametrize("style", ["declarative", "scripted"])
@pytest.mark.parametrize("workspace", ["isolated", "shared"])
def test_groovy_that_runs_programs_has_the_tools_of_all_stages(
    step: str,
    definitions: str,
    has_tools: bool,  # noqa: FBT001 - a case
    workspace: str,
    style: str,
) -> None:
    """So does a stage of Declarative whose pipeline has `tools`."""
    stages = [{"name": "a", "agent": "linux", "steps": {"jenkins": [step], "elsewhere": "skip"}}]
    pipelines = {"ci": {"workspace": workspace, "stages": stages}}
    settings = {"tools": {"maven": "Maven 3"}, "definitions": definitions}
    text = built(json.dumps({"pipelines": pipelines, "targets": {"jenkins": settings}}), style=style).text

    assert any(each in text for each in ("tools {", "withTools([[")) is has_tools


def test_a_script_in_a_block_does_not_set_the_same_variables_again() -> None:
    """The variables of a case that Jenkins sets around the block are those of the script too."""
    text = _ENV.replace("{around}", "around: [\"dir('b')\"], ").replace(', RUN: "m-${setup.run}"', "")
    (file,) = compiled(f"{text}targets: {{ jenkins: {{}} }}\n", "jenkins").files

    assert file.text.count("'LEVEL=most'") == 1


def test_a_script_in_a_block_knows_its_case() -> None:
    """It computes the other values of the case itself."""
    text = _ENV.replace("{around}", "around: [\"dir('b')\"], ")
    (file,) = compiled(f"{text}targets: {{ jenkins: {{}} }}\n", "jenkins").files

    assert "['LEVEL=most', \"RUN=m-${env.BUILD_NUMBER}\", 'PIPEGEN_CASE=1'] : []) {" in file.text
    assert file.text.index("'PIPEGEN_CASE=1'") < file.text.index("dir('b') {")


@pytest.mark.parametrize("around", ["", "around: [\"dir('b')\"], "], ids=["alone", "in a block"])
def test_variables_of_cases_contain_statuses(around: str) -> None:
    """Jenkins sets the variable with the status around those of the case."""
    case = "cases: [{ when: { branch: main }, env: { R: '${a.status}' } }]"
    steps = f"{{ jenkins: {{ {around}after: [{{ echo: '${{R}}' }}] }}, elsewhere: skip }}"
    end = f"{{ name: b, script: x, {case}, steps: {steps} }}"
    stages = f"stages: [{{ name: a, script: x }}, {end}], finally: [b]"
    (file,) = compiled(f"pipelines: {{ ci: {{ {stages} }} }}\ntargets: {{ jenkins: {{}} }}\n", "jenkins").files
    lines = [line.strip() for line in file.text.split("\n")]
    start = next(number for number, line in enumerate(lines) if '"R=${env.PIPEGEN_STATUS_A}"' in line)

    assert lines[start - 1] == "withEnv([\"PIPEGEN_STATUS_A=${status('a')}\"]) {"
    assert lines.index("echo(env.R ?: '')") > start


def test_variables_of_cases_read_others_of_the_same_case() -> None:
    """Each case is a choice again for the variables that Jenkins sets later; the first case that holds wins."""
    cases = (
        "[{ when: { branch: main }, env: { A: main, B: '${A}/y' } }, { when: { branch: dev }, env: { A: dev } },"
        " { when: { tag: true }, env: { A: tag, B: '${A}/z' } }, { when: { branch: old }, env: { A: old } }]"
    )
    keys = f"script: x, env: {{ A: base }}, cases: {cases}"
    stage = f"{{ name: a, {keys}, steps: {{ jenkins: {{ after: [{{ echo: '${{B}}' }}] }}, elsewhere: skip }} }}"
    (file,) = compiled(f"pipelines: {{ ci: {{ stages: [{stage}] }} }}\ntargets: {{ jenkins: {{}} }}\n", "jenkins").files
    lines = [line.strip() for line in file.text.split("\n")]
    start = lines.index("branch() == 'main' ? ['A=main'] :")

    assert lines[start + 1 : start + 11] == [
        "branch() == 'dev' ? ['A=dev'] :",
        "env.TAG_NAME ? ['A=tag'] :",
        "branch() == 'old' ? ['A=old'] :",
        "[]",
        ") {",
        "withEnv(",
        "branch() == 'main' ? ['B=' + (env.A ?: '') + '/y'] :",
        "branch() == 'dev' ? [] :",
        "env.TAG_NAME ? ['B=' + (env.A ?: '') + '/z'] :",
        "[]",
    ]


def test_blocks_read_the_variables_of_a_stage_without_a_script() -> None:
    """Jenkins evaluates `dir(env.TARGET)` before it enters the block."""
    stage = "{ name: a, env: { TARGET: x }, steps: { jenkins: { around: ['dir(env.TARGET)'], before: [sh: make] } } }"
    (file,) = compiled(f"pipelines: {{ ci: {{ stages: [{stage}] }} }}\ntargets: {{ jenkins: {{}} }}\n", "jenkins").files

    assert file.text.index("'TARGET=x'") < file.text.index("dir(env.TARGET) {") < file.text.index("sh('make')")


def test_variables_read_others_of_their_stage() -> None:
    """Jenkins computes a list of `withEnv` before it sets the first variable of it."""
    env = "{ APP: shop, TAG: '1.${setup.run}', IMAGE: '${APP}:${TAG}', RUN: '${setup.run}', FULL: 'r/${IMAGE}' }"
    stage = f"{{ name: a, env: {env}, steps: {{ jenkins: [{{ tell: '${{FULL}}' }}], elsewhere: skip }} }}"
    (file,) = compiled(f"pipelines: {{ ci: {{ stages: [{stage}] }} }}\ntargets: {{ jenkins: {{}} }}\n", "jenkins").files
    lines = [line.strip() for line in file.text.split("\n")]
    start = lines.index("withEnv(['APP=shop', \"TAG=1.${env.BUILD_NUMBER}\"]) {")

    assert lines[start + 1 : start + 4] == [
        "withEnv(['IMAGE=' + (env.APP ?: '') + ':' + (env.TAG ?: ''), \"RUN=${env.BUILD_NUMBER}\"]) {",
        "withEnv(['FULL=r/' + (env.IMAGE ?: '')]) {",
        "tell(env.FULL ?: '')",
    ]


@pytest.mark.parametrize("others", ["", _ORDER], ids=["declarative", "scripted"])
def test_cases_replace_variables_of_steps(others: str) -> None:
    """The inner `withEnv` of Jenkins wins, and it also has values that the script computes."""
    text = _ENV.replace("{around}", "")
    (file,) = compiled(f"{text}{others}targets: {{ jenkins: {{}} }}\n", "jenkins").files
    step = file.text.index("echo(env.LEVEL ?: '')")

    assert file.text.index('"RUN=r-') < file.text.index("['LEVEL=most', \"RUN=m-${env.BUILD_NUMBER}\"]") < step


@pytest.mark.parametrize("order", ["", _ORDER], ids=["declarative", "scripted"])
def test_files_of_steps_are_archived_and_reported_even_if_the_steps_fail(order: str) -> None:
    """Reports and files follow all steps of the stage."""
    keys = "script: x, reports: { junit: r.xml }, artifacts: { paths: [f], when: always }"
    stage = (
        f"      - {{ name: a, {keys}, steps: {{ jenkins: {{ before: [first], after: [last] }}, elsewhere: skip }} }}\n"
    )
    others = _ORDER if order else "      - { name: b, script: x }\n"
    (file,) = compiled(
        f"pipelines:\n  ci:\n    stages:\n{stage}{others}targets: {{ jenkins: {{}} }}\n", "jenkins"
    ).files
    words = ("first()", "sh 'x'", "last()", "post {" if not order else "} finally {", "junit ", "archiveArtifacts ")
    positions = [file.text.index(word) for word in words]

    assert positions == sorted(positions)


@pytest.mark.parametrize("order", ["", _ORDER], ids=["declarative", "scripted"])
def test_steps_in_any_case_come_before_those_after_a_failure(order: str) -> None:
    """As in `post` of Jenkins."""
    calls = "{ after: [last], failure: [cry], always: [tidy] }"
    stage = f"      - {{ name: a, script: x, steps: {{ jenkins: {calls}, elsewhere: skip }} }}\n"
    others = _ORDER if order else "      - { name: b, script: x }\n"
    (file,) = compiled(
        f"pipelines:\n  ci:\n    stages:\n{stage}{others}targets: {{ jenkins: {{}} }}\n", "jenkins"
    ).files
    positions = [file.text.index(word) for word in ("sh 'x'", "last()", "tidy()", "cry()")]

    assert positions == sorted(positions)
    assert ("failure {" in file.text) is (not order)


def test_a_block_with_credentials_is_not_for_forks() -> None:
    """A step in a block counts like a step of the stage itself."""
    block = "script { def x = 1; if (x) { withCredentials([]) { sh y } } }"

    assert names(job_of(f"{{name: s, steps: {{jenkins: ['{block}']}}}}")) == ("script", "withCredentials", "sh")


def test_known_steps_are_those_of_a_server() -> None:
    """With the parameters that the server lists."""
    listed = facts()["steps"]

    assert len(known_steps()) > 50
    for name, step in known_steps().items():
        assert step.is_block is listed[name]["block"], name
        assert set(step.required) == set(listed[name].get("required", ())), name
        assert set(step.parameters) == {*listed[name].get("required", ()), *listed[name].get("optional", ())}, name


@pytest.mark.parametrize(
    ("step", "head"),
    [
        ('"withMaven"', "withMaven()"),
        ("{withMaven: {maven: maven-3.9, jdk: '21'}}", "withMaven(maven: 'maven-3.9', jdk: '21')"),
        ("{withSonarQubeEnv: sonar}", "withSonarQubeEnv('sonar')"),
        ("{sshagent: [deploy-key]}", "sshagent(['deploy-key'])"),
        ("{withMaven: }", "withMaven()"),
        ("\"configFileProvider([configFile(fileId: 'a', variable: 'B')])\"",) * 2,
        ("\"docker.image('builder').inside('-v /x')\"",) * 2,
        (
            "{withCredentials: [{string: {credentialsId: t, variable: T}}]}",
            "withCredentials([string(credentialsId: 't', variable: 'T')])",
        ),
        ("{lock: {resource: db, quantiti: 1}}", None),
        ("{lock: {label: db}}", None),
        ('"junit testResults: 1"', None),
        ("{junit: a.xml}", None),
        ("{a b: 1}", None),
        ("{withMaven: {maven: '${setup.branch}'}}", None),
        ("{withMaven: {options: ['junit()']}}", None),
        ('"withMaven {"', None),
        ('"withMaven() // sure"', None),
        ('"withMaven() /* sure */"', None),
        ('"withMaven(); ansiColor()"', None),
        ('"withMaven(a) ansiColor(b)"', None),
        ('"withMaven(a"', None),
        ('"x = withMaven()"', None),
        ('"1"', None),
    ],
)
def test_blocks_around_the_steps(step: str, head: str | None) -> None:
    """The head of a block, with parameters that are written out."""
    report = Report()
    plan = plan_of(f"[{{name: s, script: x, steps: {{jenkins: {{around: [{step}]}}}}}}]")
    (job,) = plan.jobs
    check_plugin_steps(job, plan, report)

    assert bool(report.diagnostics()) is (head is None)
    if head is not None:
        (block,) = enclosed(job, (Echo("a"),), GroovyTexts(plan, job, {}, "output"))
        assert isinstance(block, Wrapped)
        assert block.head == head.strip('"')


def test_the_head_of_a_block_may_contain_groovy_with_quotes() -> None:
    """Quotes and slashes in an expression of a text belong to the expression."""
    head = r"""withEnv(["NAME=${sh(script: 'echo $URL | sed "s/.*\\///"', returnStdout: true).trim()}"])"""

    assert is_head(head)
    assert not is_head(head.replace(".trim()}", ".trim()"))
