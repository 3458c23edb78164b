"""On Jenkins, inputs in names of images and caches are validated before they are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

Repository = Callable[[Mapping[str, str | bytes]], Path]
INPUTS = {
    "os": {"choices": ["alpine", "debian"], "default": "alpine"},
    "tag": {"pattern": "[0-9]+(\\.[0-9]+)?", "default": "3.20"},
    "free": {"default": "x"},
    "must": {"choices": ["a", "b"]},
}
STAGE = {
    "name": "s",
    "image": "${inputs.os}:${inputs.tag}",
    "services": ["redis:${inputs.free}"],
    "cache": {"key": "k-${inputs.must}", "paths": ["x/"]},
    "script": ["echo done"],
}


@pytest.fixture
def generated(repository: Repository) -> Callable[..., tuple[str, Path]]:
    """Return a function that compiles the config, without some keys of the stage: the text and the checkout."""

    def start(style: str, *left_out: str) -> tuple[str, Path]:
        require(jenkins_harness.available())
        stage = {key: value for key, value in STAGE.items() if key not in left_out}
        checkout = repository({CONFIG: yaml_text({"inputs": INPUTS, "pipelines": {"p": {"stages": [stage]}}})})
        return compiled(Engine(target="jenkins", style=style), checkout, {}), checkout

    return start


@pytest.fixture
def build(generated: Callable[..., tuple[str, Path]], tmp_path: Path) -> Callable[..., jenkins_harness.Build]:
    """Return a function that builds the config in a style with parameters."""

    def start(style: str, parameters: Mapping[str, str], *left_out: str) -> jenkins_harness.Build:
        text, checkout = generated(style, *left_out)
        return jenkins_harness.run(text, checkout, workdir=tmp_path / "build", params=dict(parameters))

    return start


def test_files_with_checked_inputs_are_valid(generated: Callable[..., tuple[str, Path]]) -> None:
    """In both styles."""
    texts = {
        f"{style} without {left_out}": generated(style, *left_out)[0]
        for style in ("declarative", "scripted")
        for left_out in ((), ("services",))
    }

    assert jenkins_harness.validate(texts) == dict.fromkeys(texts, ())


@pytest.mark.parametrize("style", ["declarative", "scripted"])
@pytest.mark.parametrize(
    "wrong",
    [
        {"os": "evil.example.org/image"},
        {"os": "alpine\n"},
        {"tag": "3.20\nevil"},
        {"free": "$(id)"},
        {"must": "c/.."},
        {"must": ""},
    ],
    ids=str,
)
def test_an_invalid_input_fails_before_the_image_is_used(
    style: str, wrong: Mapping[str, str], build: Callable[..., jenkins_harness.Build]
) -> None:
    """The log names the input."""
    finished = build(style, {"must": "a", **wrong})
    (name,) = wrong

    assert finished.result == "FAILURE"
    assert f'input "{name}" has a value that it does not take' in finished.log
    assert "echo done" not in finished.log
    assert not [container for container in finished.containers if container["kind"] == "inside"]


@pytest.mark.parametrize("style", ["declarative", "scripted"])
@pytest.mark.parametrize("values", [{"must": "a"}, {"must": "b", "os": "debian", "tag": "12", "free": "7"}], ids=str)
def test_a_valid_input_is_part_of_the_image_name(
    style: str, values: Mapping[str, str], build: Callable[..., jenkins_harness.Build]
) -> None:
    """The value is unchanged."""
    finished = build(style, values, "services")

    assert finished.result == "SUCCESS", finished.log
    assert f"{values.get('os', 'alpine')}:{values.get('tag', '3.20')}" in [
        container["image"] for container in finished.containers
    ]
