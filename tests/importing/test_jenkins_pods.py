"""Pods of a Jenkinsfile."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing.samples import messages

from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report
from pipegen.importing.compilation import compiled
from pipegen.importing.jenkins.importer import JenkinsImport, import_jenkins
from pipegen.importing.jenkins.proof import prove_stages
from pipegen.source.text import SourceFile
from pipegen.structs import replace

_FILE = "pipeline { agent { kubernetes { OPTIONS } }; stages { stage('A') { steps { STEPS } } } }\n"
_YAML = "yaml 'kind: Pod'"
_IMAGE = "name 'maven'; image 'maven:3.9'"


def _imported(options: str, steps: str = "sh 'make'") -> tuple[JenkinsImport, str]:
    """Return the import of a pipeline in a pod with *options*, and its diagnostics."""
    report = Report()
    text = _FILE.replace("OPTIONS", options).replace("STEPS", steps)
    result = import_jenkins(SourceFile("Jenkinsfile", text), report)
    proof = prove_stages(result)

    assert proof is not None
    assert proof.differences == ()
    return result, messages(report)


@pytest.mark.parametrize(
    ("options", "pod"),
    [
        (_YAML, '{ yaml: "kind: Pod" }'),
        (f"{_YAML}; defaultContainer 'go'", '{ yaml: "kind: Pod", container: go }'),
        (f"{_YAML}; defaultContainer 'jnlp'; inheritFrom ''", '{ yaml: "kind: Pod" }'),
        (f"cloud 'c'; namespace 'ci'; {_YAML}", '{ cloud: c, namespace: ci, yaml: "kind: Pod" }'),
        (
            f"containerTemplate {{ {_IMAGE}; command 'cat'; ttyEnabled true }}",
            "{ containers: [{ name: maven, image: maven:3.9 }], container: maven }",
        ),
        (
            f"containerTemplate {{ {_IMAGE}; command 'sleep'; args '99d' }}",
            "{ containers: [{ name: maven, image: maven:3.9 }], container: maven }",
        ),
    ],
)
def test_the_options_of_a_pod_become_its_keys(options: str, pod: str) -> None:
    """Steps run in the default container, or in that of the only template."""
    result, reported = _imported(options)

    assert f"kubernetes: {pod}" in result.text
    assert reported == ""


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("label 'small'", "the pod is described in Jenkins, and not in the file"),
        ("inheritFrom 'small'", "the pod is described in Jenkins, and not in the file"),
        ("yaml libraryResource('pod.yaml')", 'its "yaml" is known only at run time'),
        ("yamlFile 'ci/pod.yaml'", 'its manifest is in the file "ci/pod.yaml"'),
        ("yaml ''", "its manifest is empty"),
        (f"containerTemplate {{ {_IMAGE} }}", "its container does not only wait for commands"),
        (f"containerTemplate {{ {_IMAGE}; command 'cat' }}", "its container does not only wait for commands"),
        (
            f"containerTemplate {{ {_IMAGE}; command 'sleep 1d'; privileged true }}",
            "its container has other options than a name, an image and a command",
        ),
    ],
)
def test_pods_that_the_file_does_not_describe_are_reported(options: str, reason: str) -> None:
    """The stage has no agent in the config, and the diagnostic says why."""
    result, reported = _imported(options)

    assert f'"kubernetes" is left out: {reason}' in reported
    assert "kubernetes" not in result.text


def test_other_options_of_a_pod_are_reported() -> None:
    """A pod template of Jenkins would add to the manifest."""
    result, reported = _imported(f"{_YAML}; inheritFrom 'small'; yamlMergeStrategy merge(); idleMinutes 5")

    assert all(f'"{name}" is left out' in reported for name in ("inheritFrom", "yamlMergeStrategy", "idleMinutes"))
    assert 'kubernetes: { yaml: "kind: Pod" }' in result.text


def test_a_manifest_in_a_file_is_read(tmp_path: Path) -> None:
    """Jenkins reads it from the repository, and a generated file contains it."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "ci").mkdir()
    (tmp_path / "pod.yaml").write_text("kind: Pod\nspec: {}\n", encoding="utf-8")
    jenkinsfile = tmp_path / "ci" / "Jenkinsfile"
    text = _FILE.replace("OPTIONS", "yamlFile 'pod.yaml'").replace("STEPS", "sh label: 'm', \\\n script: 'make'")
    jenkinsfile.write_text(text, encoding="utf-8")
    report = Report()
    result = import_jenkins(load(jenkinsfile, report), report)

    assert "yaml: |\n              kind: Pod\n              spec: {}\n" in result.text
    assert report.diagnostics() == ()


def test_a_container_around_all_steps_is_that_of_the_script() -> None:
    """Steps that only set keys of the stage may be around it, or in it."""
    steps = "timeout(5) { container('go') { retry(2) { withEnv(['A=b']) { sh 'make' } } } }"
    result, reported = _imported(f"{_YAML}; defaultContainer 'base'", steps)

    assert "container: go" in result.text
    assert "steps:" not in result.text
    assert "Groovy" not in reported


@pytest.mark.parametrize(
    ("steps", "plugin_steps"),
    [
        # A second container.
        ("container('a') { sh 'x' }; container('b') { sh 'y' }", "jenkins: [\"container('b') { sh 'y' }\"]"),
        # A step of a plugin in the container of commands.
        ("container('a') { sh 'x'; deploy() }", "{ around: [container('a')], after: [deploy()] }"),
        # One in the default container.
        ("container('a') { sh 'x' }; deploy()", "{ around: [container('base')], after: [deploy()] }"),
        ("sh 'x'; deploy()", "{ around: [container('base')], after: [deploy()] }"),
    ],
)
def test_steps_that_stay_groovy_run_in_their_container(steps: str, plugin_steps: str) -> None:
    """The script runs in one container; steps of Jenkins have theirs around them."""
    result, _ = _imported(f"{_YAML}; defaultContainer 'base'", steps)

    assert plugin_steps in " ".join(result.text.split())


@pytest.mark.parametrize(
    ("before", "after", "difference"),
    [
        ("kind: Pod", "kind: Other", 'the pod of stage "A" is another one'),
        ("cloud: c, ", "", 'the pod of stage "A" is another one'),
        ("container: go", "container: b", 'a step of stage "A" does not run in its container, which is "go"'),
        ('        agent: { kubernetes: { cloud: c, yaml: "kind: Pod", container: go } }\n', "", "the pod of stage"),
    ],
)
def test_another_pod_is_a_difference(before: str, after: str, difference: str) -> None:
    """The comparison includes the manifest, the cloud and the containers."""
    result, _ = _imported(f"cloud 'c'; {_YAML}", "container('go') { sh 'make' }")

    assert before in result.text
    changed = compiled(result.text.replace(before, after), "jenkins")
    proof = prove_stages(replace(result, compiled=changed, generated=changed.files))
    assert proof is not None
    assert any(difference in found.message for found in proof.differences)


def test_stages_share_a_pod_whatever_they_do() -> None:
    """Stages with steps of Jenkins only have it from the defaults, and those that only wait need none."""
    stages = [
        "stage('A') { steps { container('go') { sh 'make' } } }",
        "stage('B') { steps { deploy() } }",
        "stage('C') { steps { input 'Continue?' } }",
    ]
    text = f"pipeline {{ agent {{ kubernetes {{ {_YAML} }} }}; stages {{ {'; '.join(stages)} }} }}\n"
    result = import_jenkins(SourceFile("Jenkinsfile", text), Report())
    proof = prove_stages(result)

    assert result.text.count("kind: Pod") == 1
    assert 'defaults: { agent: { kubernetes: { yaml: "kind: Pod" } } }' in result.text
    assert result.text.count("agent:") == 2
    assert proof is not None
    assert proof.differences == ()
