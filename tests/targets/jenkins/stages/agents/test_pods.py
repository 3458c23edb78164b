"""The pods of stages, by the plugin Kubernetes."""

from __future__ import annotations

import re
from textwrap import dedent

import pytest
import yaml
from engines.sized import built


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
