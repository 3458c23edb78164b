"""A build survives a restart of the controller: the state of a generated file is serializable at every step."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines import jenkins_harness
from engines.jenkins_harness import Build
from engines.proof.execution import CONFIG, Engine, compiled
from engines.proof.yaml_text import yaml_text
from engines.requirement import require

from pipegen.compiler import analyse, generate
from pipegen.config.files.load import load
from pipegen.diagnostics.report import Report, Stopped
from pipegen.targets import registry

EXAMPLES = Path(__file__).parents[2] / "examples"
STYLES = ("declarative", "scripted")
Repository = Callable[[Mapping[str, str | bytes]], Path]

STAGES = [
    {"name": "build", "script": ["echo 1"], "outputs": {"v": {"command": "echo 1"}}, "retry": 1, "timeout": 60},
    {"name": "unit", "script": ["echo ${build.v}"], "after": ["true"], "allow_failure": {"exit_codes": [3]}},
    {"name": "lint", "image": "a:1", "script": ["true"], "reports": {"junit": "none.xml"}},
    {"name": "docs", "script": ["echo ${build.v}"], "when": {"changes": ["*"]}, "retry": {"count": 1, "on": "script"}},
    {"name": "last", "script": ["true"], "lock": "one", "trigger": {"name": "x", "parameters": {"V": "${build.v}"}}},
]
ARCS = [["build", ["unit", "lint", "docs"], "last"]]


@pytest.fixture
def generated(repository: Repository) -> Callable[[str], tuple[Path, str]]:
    """Return a function that compiles a pipeline with many features in a style: the checkout and the Jenkinsfile."""
    require(jenkins_harness.available())

    def compile_in_style(style: str) -> tuple[Path, str]:
        checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": STAGES, "execution": ARCS}}})})
        return checkout, compiled(Engine(target="jenkins", style=style), checkout, {})

    return compile_in_style


@pytest.fixture
def run(tmp_path: Path) -> Callable[[str, Path], Build]:
    """Return a function that runs a text on a checkout."""
    return lambda text, checkout: jenkins_harness.run(text, checkout, workdir=tmp_path / "build")


@pytest.mark.parametrize("style", STYLES)
def test_the_state_is_serializable_at_every_step(
    generated: Callable[[str], tuple[Path, str]], run: Callable[[str, Path], Build], style: str
) -> None:
    """Fields, variables of functions, and variables captured by closures."""
    checkout, text = generated(style)

    build = run(text, checkout)

    assert build.result == "SUCCESS", build.log


# Where in the file a careless hand writes something, what, and the class of it that Java does not save.
CARELESS = {
    "a variable": (
        "    Map found = checkout(",
        "def names = [a: 1].keySet()",
        "java.util.LinkedHashMap$LinkedKeySet",
    ),
    "a function around": (
        "        checkoutCommit()\n",
        "def word = 'a' =~ 'a'",
        "java.util.regex.Matcher",
    ),
    "a field": (
        "@Field Map stages = [:]",
        "@Field def left = [].iterator()",
        "java.util.ArrayList$Itr",
    ),
    "a closure": (
        "    retry(2) {\n",
        "def left = [[1, 2].subList(0, 1)]; Closure later = { echo left.join() }; withEnv([], later)",
        "java.util.ArrayList$SubList",
    ),
    "an error that is caught": (
        "    Map found = checkout(",
        "try { def all = [a: 1].entrySet(); echo 'x' } catch (e) { echo 'y' }",
        "java.util.LinkedHashMap$LinkedEntrySet",
    ),
}


@pytest.mark.parametrize("what", CARELESS)
def test_unserializable_state_fails_the_build(
    generated: Callable[[str], tuple[Path, str]], run: Callable[[str, Path], Build], what: str
) -> None:
    """As on Jenkins, even if the code catches exceptions."""
    place, careless, result = CARELESS[what]
    checkout, text = generated("scripted")

    build = run(text.replace(place, f"{careless}\n{place}", 1), checkout)

    assert place in text
    assert build.error is not None, build.log
    assert build.error.type == "java.io.NotSerializableException"
    assert build.error.message.startswith(result)


def test_examples_have_no_unserializable_state() -> None:
    """By static validation, in both styles."""
    require(jenkins_harness.available())
    texts = {
        f"{config.relative_to(EXAMPLES)} {style}": text
        for config in sorted([*EXAMPLES.glob("*/pipegen.yaml"), *EXAMPLES.glob("*/.pipeline/config.yaml")])
        for style in STYLES
        if (text := _compiled(config, style))
    }

    values = jenkins_harness.validate(texts)

    assert len(texts) >= len(list(EXAMPLES.iterdir()))
    assert {name: findings for name, findings in values.items() if findings} == {}


def _compiled(config: Path, style: str) -> str:
    """Return the Jenkinsfile of *config*, or "" if it does not support that style."""
    report = Report()
    try:
        analysed = analyse(load(config, report), (), report)
        return generate(analysed, registry.load("jenkins"), {"style": style}, report)[-1].text
    except Stopped:
        return ""
