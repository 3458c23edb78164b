"""The pods of stages, by the plugin Kubernetes."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
import yaml
from engines.sized import built

from pipegen.compiler import analyse
from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report
from pipegen.source.text import SourceFile
from pipegen.targets.jenkins.stages.agents.pods import with_shared_pod


def containers(pod: str) -> tuple[list[dict[str, object]], str]:
    """Return the containers of the manifest of *pod*, and the name of the one that the script runs in."""
    stage = f"name: a, script: [./test], agent: {{ kubernetes: {{ {pod} }} }}"
    text = built(f"pipelines: {{ p: {{ stages: [{{ {stage} }}] }} }}\n", "scripted").text
    manifest = re.search(r"yaml: '''\n(.*?)'''", text, flags=re.DOTALL)
    container = re.search(r"container\('(.*?)'\)", text)
    assert manifest is not None
    assert container is not None
    return yaml.safe_load(dedent(manifest[1]))["spec"]["containers"], container[1]


@pytest.mark.parametrize(("name", "own"), [("db", "main"), ("main", "main-2")])
def test_the_container_of_the_image_has_its_own_name(name: str, own: str) -> None:
    """Kubernetes refuses two containers of the same name."""
    (script, other), container = containers(f"image: 'node:22', containers: [{{ name: {name}, image: 'pg:17' }}]")

    assert (script["name"], other["name"], container) == (own, name, own)


def test_the_container_of_the_agent_keeps_its_command() -> None:
    """The plugin runs the agent in the container "jnlp" (PodTemplateBuilder), which never connects while it sleeps."""
    (agent,), container = containers("containers: [{ name: jnlp, image: 'agent:1' }], container: jnlp")

    assert agent == {"name": "jnlp", "image": "agent:1"}
    assert container == "jnlp"


def in_one_workspace(*agents: str) -> str:
    """Return a config whose stages share a workspace, one for each of *agents*, and that have a common manifest."""
    stages = ", ".join(
        f"{{ name: s{at}, script: [./test {at}], agent: {{ kubernetes: {{ {agent} }} }} }}"
        for at, agent in enumerate(agents)
    )
    return f"pipelines: {{ p: {{ workspace: shared, stages: [{stages}] }} }}\n"


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_stages_that_share_a_workspace_share_its_pod(style: str) -> None:
    """The pod is that of the pipeline, and each script runs in its own container."""
    config = in_one_workspace("yaml: 'kind: Pod', container: maven", "yaml: 'kind: Pod', container: node")
    text = built(config, style).text
    start = "podTemplate(" if style == "scripted" else "kubernetes {"
    scripts = re.findall(r"container\('(\w+)'\) \{\n\s*sh '\./test (\d)'", text)

    assert text.count(start) == 1
    assert text.count("kind: Pod") == 1
    assert scripts == [("maven", "0"), ("node", "1")]


def test_stages_that_share_a_workspace_do_not_share_different_pods() -> None:
    """One workspace is on one machine, so these stages run on an agent, which is reported."""
    report = Report()
    source = SourceFile("pipegen.yaml", in_one_workspace("image: 'maven:3.9'", "image: 'node:22'"))
    (plan,) = analyse(source, (), report).plans
    pods = [job.machine.pod for job in with_shared_pod(plan, report).jobs]

    assert pods == [None, None]
    assert [diagnostic.code for diagnostic in report.diagnostics()].count(codes.MACHINE_LEFT_OUT) == 2


def test_a_stage_that_only_starts_a_job_needs_no_pod() -> None:
    """The other stages of the workspace share theirs."""
    report = Report()
    config = in_one_workspace("image: 'maven:3.9'").replace("] }", ", { name: t, trigger: { name: other } }] }")
    (plan,) = analyse(SourceFile("pipegen.yaml", config), (), report).plans
    pods = {job.stage: job.machine.pod is not None for job in with_shared_pod(plan, report).jobs}

    assert pods == {"s0": True, "t": False}
    assert codes.MACHINE_LEFT_OUT not in [diagnostic.code for diagnostic in report.diagnostics()]


def test_steps_of_plugins_run_in_the_pod_of_their_stage() -> None:
    """A stage without a script asks for its pod, too."""
    stage = "name: a, agent: { kubernetes: { yaml: 'kind: Pod' } }, steps: { jenkins: [deploy()], elsewhere: skip }"
    text = built(f"pipelines: {{ p: {{ stages: [{{ {stage} }}] }} }}\n", "declarative").text

    assert "kind: Pod" in text
