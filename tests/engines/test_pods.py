"""Stages in pods run on Jenkins in both styles, each attempt in a new pod."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from engines import jenkins_harness
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

MANIFEST = "# it's $HOME\nkind: Pod\nspec:\n  containers:\n    - name: tools\n"
CONTAINERS = [{"name": "node", "image": "node:22"}, {"name": "db", "image": "postgres:17", "env": {"P": "it's $5"}}]
STAGES: list[dict[str, object]] = [
    {
        "name": "first",
        "agent": {"kubernetes": {"image": "maven:3.9"}},
        "script": ["echo 1 >a.txt"],
        "artifacts": ["a.txt"],
    },
    {"name": "own", "agent": {"kubernetes": {"containers": CONTAINERS, "container": "node"}}, "script": ["cat a.txt"]},
    {
        "name": "manifest",
        "agent": {"kubernetes": {"yaml": MANIFEST, "container": "tools", "cloud": "c", "namespace": "n"}},
        "retry": 1,
        "script": ["[ -e ../tried ] || { touch ../tried; false; }"],
    },
    {
        "name": "agent",
        "agent": {"kubernetes": {"yaml": f"---\n{MANIFEST}"}},
        "allow_failure": True,
        "script": ["false"],
    },
]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
def test_stages_run_in_pods(
    style: str, repository: Callable[[Mapping[str, str | bytes]], Path], tmp_path: Path
) -> None:
    """Files arrive, a failure takes a new pod, and the manifest is that of the config."""
    require(jenkins_harness.available())
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": STAGES}}})})
    text = compiled(Engine(target="jenkins", style=style), checkout, {})

    build = jenkins_harness.run(text, checkout, workdir=tmp_path / "build")

    assert jenkins_harness.validate({style: text}) == {style: ()}
    assert build.result == "SUCCESS", build.log
    assert build.stage("agent").status == "unstable"
    assert [(container["stage"], container["image"]) for container in build.containers] == [
        ("first", "main"),
        ("own", "node"),
        ("manifest", "tools"),
        ("manifest", "tools"),
    ]
    assert yaml.safe_load(build.containers[2]["args"]) == yaml.safe_load(MANIFEST)
    (node, db) = yaml.safe_load(build.containers[1]["args"])["spec"]["containers"]
    assert node == {"name": "node", "image": "node:22", "command": ["sleep", "infinity"]}
    assert db == {"name": "db", "image": "postgres:17", "env": [{"name": "P", "value": "it's $5"}]}
