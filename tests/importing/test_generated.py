"""The import of a generated file leaves out what the compiler adds again."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from importing.samples import from_text

from pipegen.diagnostics.report import Report
from pipegen.importing.accounting import KeyOutcome
from pipegen.importing.compilation import compiled
from pipegen.importing.gitlab.proof.comparison import prove
from pipegen.importing.imported import Proof
from pipegen.importing.jenkins.importer import import_jenkins
from pipegen.source.text import SourceFile

CONFIG = """\
pipelines:
  ci:
    stages:
      - name: build
        shell: bash
        script: [make | tee log]
        after: [tail log | cat]
        outputs: { size: { command: wc -c <log } }
      - name: report
        script: ['echo "${build.size}"']
    execution: [[build, report]]
"""
_STRICT = "set -o pipefail"


def _generated() -> str:
    return compiled(CONFIG, "gitlab").files[-1].text


def test_a_script_with_pipes_has_the_shell_of_its_stage(tmp_path: Path) -> None:
    """The runner sets pipefail, so that the generated file has no command for it."""
    result, _ = from_text(_generated(), tmp_path)

    assert "pipefail" not in _generated()
    assert "shell: bash" in result.text
    assert "pipefail" not in result.generated[-1].text


def test_a_script_that_sets_pipefail_by_itself_keeps_the_command(tmp_path: Path) -> None:
    """It is the user's."""
    result, _ = from_text("build:\n  script: [set -o pipefail, make | tee log]\n", tmp_path)

    assert "shell: bash" in result.text
    assert _STRICT in result.text


def test_comments_of_a_generated_file_are_left_out(tmp_path: Path) -> None:
    """They describe the generated file, and a compilation writes them again."""
    result, _ = from_text(_generated(), tmp_path)

    assert "# outputs" in _generated()
    assert "# outputs" not in result.text


def test_comments_of_a_file_that_was_changed_stay(tmp_path: Path) -> None:
    """People may have written some of them."""
    result, _ = from_text(_generated().replace("# outputs", "# by hand"), tmp_path)

    assert "# by hand" in result.text


IMAGE = """\
pipelines:
  ci:
    blubberfile: blubber.yaml
    stages:
      - name: image
        build: test
        publish: { image: true }
targets: { gitlab: { registry: registry.example.org, frontend: example.org/frontend:1 } }
"""


def test_variables_of_settings_become_settings(tmp_path: Path) -> None:
    """The compiler adds these variables for scripts that read them; as `env`, each import would export them again."""
    file = compiled(IMAGE, "gitlab").files[-1].text
    result, _ = from_text(file, tmp_path)

    assert "PIPEGEN_REGISTRY: registry.example.org" in file
    assert "registry: registry.example.org\n    frontend: example.org/frontend:1" in result.text
    assert "PIPEGEN_REGISTRY:" not in result.text
    assert result.generated[-1].text.count("PIPEGEN_FRONTEND: ") == 1


def test_other_values_of_these_variables_stay_variables(tmp_path: Path) -> None:
    """These are values that a setting cannot have, variables of a job, and variables that no script reads."""
    script = "script: [echo $PIPEGEN_REGISTRY $PIPEGEN_CHARTS]"
    variables = "variables: { PIPEGEN_REGISTRY: $HOST/x, PIPEGEN_NAMESPACE: unread, PIPEGEN_CHARTS: file }"
    result, _ = from_text(f"{variables}\njob: {{ {script}, variables: {{ PIPEGEN_CHARTS: job }} }}\n", tmp_path)

    assert "PIPEGEN_REGISTRY: ${HOST}/x" in result.text
    assert "PIPEGEN_NAMESPACE: unread" in result.text
    assert "PIPEGEN_CHARTS: job" in result.text


LIMITED = """\
pipelines:
  ci:
    stages:
      - name: test
        timeout: 90 minutes
        script: [make]
        after: [make clean]
"""


def test_the_time_for_commands_after_the_script_is_no_part_of_the_timeout(tmp_path: Path) -> None:
    """Otherwise each import would be ten minutes longer."""
    file = compiled(LIMITED, "gitlab").files[-1].text
    result, _ = from_text(file, tmp_path)

    assert "RUNNER_SCRIPT_TIMEOUT: 5400s" in file
    assert "timeout: 1 hour 30 minutes" in result.text
    assert "RUNNER_SCRIPT_TIMEOUT" not in result.text
    assert result.generated[-1].text.count("1 hour 40 minutes") == 1


def test_another_time_for_the_script_stays_a_variable(tmp_path: Path) -> None:
    """Only the generated pair of both limits is recognised."""
    text = "test: { script: [make], after_script: [x], timeout: 1h, variables: { RUNNER_SCRIPT_TIMEOUT: 5m } }\n"
    result, _ = from_text(text, tmp_path)

    assert "timeout: 1 hour" in result.text
    assert "raw: { gitlab: { variables: { RUNNER_SCRIPT_TIMEOUT: 5m } } }" in result.text


OPTIONAL = """\
pipelines:
  ci:
    stages:
      - { name: build, script: make }
      - { name: load, script: ./load, approve: { optional: true, when: { branch: main } } }
      - { name: report, script: ./report }
      - { name: mail, script: './mail "${build.status}" "${pipeline.status}"' }
    finally: [mail]
"""


def test_helpers_of_statuses_are_stages_of_an_import(tmp_path: Path) -> None:
    """The proof compares them, too, and finds the same runs."""
    result, _ = from_text(compiled(OPTIONAL, "gitlab").files[-1].text, tmp_path)

    assert "name: note when build fails" in result.text
    assert prove(result) == Proof(events=16, differences=())


def test_helpers_that_wait_for_optional_stages_are_left_out(tmp_path: Path) -> None:
    """The compiler adds them again, so that each import would have one more."""
    file = compiled(OPTIONAL, "gitlab").files[-1].text
    result, report = from_text(file, tmp_path)

    assert "wait for load:" in file
    assert result.generated[-1].text.count("wait for load:") == 1
    assert "wait for load" not in result.text
    assert not [each for each in report.diagnostics() if "wait for load" in each.message]
    assert sum(result.count.number(outcome) for outcome in KeyOutcome) == result.count.keys


def test_needs_on_helpers_become_needs_on_their_stages(tmp_path: Path) -> None:
    """The names of helpers begin with the pipeline if a file has several; another job may have such a name, too."""
    text = """\
    load: { script: [./load], rules: [{ if: $A, when: manual, allow_failure: true }, {}] }
    "ci: wait for load":
      needs: [load]
      rules: [{ if: $A, when: never }, {}]
      variables: { PIPEGEN_HELPER: "1" }
      script: ["true"]
    wait for tests: { needs: [], script: ["true"] }
    report: { needs: [{ job: "ci: wait for load", optional: true }, wait for tests], script: [./report] }
    """
    result, _ = from_text(dedent(text), tmp_path)
    proof = prove(result)

    assert {*result.jobs} == {"load", "wait for tests", "report"}
    assert "- [[load, wait for tests], report]" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_collectors_are_left_out(tmp_path: Path) -> None:
    """They combine needs if these are more than GitLab allows; each import would have collectors of collectors."""
    names = [f"test-{number}" for number in range(60)]
    stages = [{"name": name, "script": f"./{name}", "artifacts": [f"out/{name}"]} for name in names]
    report = {"name": "report", "script": "./report out", "when": {"branch": "main"}}
    config = {"ci": {"stages": [*stages, report], "execution": [[names, "report"]]}}
    file = compiled(json.dumps({"pipelines": config}), "gitlab").files[-1].text
    result, _ = from_text(file, tmp_path)

    assert file.count("\ncollect for report") == 2
    assert "collect for" not in result.text
    assert result.generated[-1].text.count("\ncollect for report") == 2
    assert prove(result) == Proof(events=16, differences=())


def test_needs_on_helpers_keep_their_keys(tmp_path: Path) -> None:
    """A job gets the files of another if a need of the helper and the one on the helper do, or a second need."""
    text = """\
    a: { script: [./a], artifacts: { paths: [a] } }
    b: { script: [./b], artifacts: { paths: [b] }, rules: [{ if: $B }] }
    collect for c:
      needs: [{ job: a, artifacts: false }, { job: b, optional: true }]
      variables: { PIPEGEN_HELPER: "1" }
      artifacts: { paths: [b] }
      script: ["true"]
    c: { needs: [collect for c], script: [./c] }
    d: { needs: [{ job: collect for c, artifacts: false }, a], script: [./d] }
    e: { stage: deploy, script: [./e], dependencies: [collect for c] }
    """
    result, _ = from_text(dedent(text), tmp_path)
    proof = prove(result)

    assert {*result.jobs} == {*"abcde"}
    assert "script: [./c]\n        files_from: [b]" in result.text
    assert "script: [./d]\n        files_from: [a]" in result.text
    assert "script: [./e]\n        files_from: [b]" in result.text
    assert proof is not None
    assert proof.differences == ()


def test_the_function_for_limits_of_a_jenkinsfile_is_a_timeout() -> None:
    """Scripts that could end with status 0 when the time is up run in it."""
    config = "pipelines: { ci: { stages: [{ name: unit, script: exec make rspec, timeout: 90 seconds }] } }"
    text = compiled(config, "jenkins").files[-1].text
    report = Report()
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)

    assert "within(90) {" in text
    assert "timeout: 90 seconds" in result.text
    assert "exec make rspec" in result.text
    assert not [diagnostic for diagnostic in report.diagnostics() if "within" in diagnostic.message]
