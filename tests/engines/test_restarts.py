"""A build survives a restart of the controller: the state of a generated file is serializable at every step."""

import subprocess
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
def run(tmp_path: Path) -> Callable[..., Build]:
    """Return a function that runs a text on a checkout, with variables of the build."""

    def run_text(text: str, checkout: Path, variables: Mapping[str, str] | None = None) -> Build:
        return jenkins_harness.run(text, checkout, workdir=tmp_path / "build", env=variables or {})

    return run_text


@pytest.mark.parametrize("style", STYLES)
def test_the_state_is_serializable_at_every_step(
    generated: Callable[[str], tuple[Path, str]], run: Callable[[str, Path], Build], style: str
) -> None:
    """Fields, variables of functions, and variables captured by closures."""
    checkout, text = generated(style)

    build = run(text, checkout)

    assert build.result == "SUCCESS", build.log


# The line of the file before which unserializable state is inserted, the inserted code, and its class.
CARELESS = {
    "a variable": (
        "    Map git = checkout(scmGit(",
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
        "    Map git = checkout(scmGit(",
        "try { def all = [a: 1].entrySet(); echo 'x' } catch (e) { echo 'y' }",
        "java.util.LinkedHashMap$LinkedEntrySet",
    ),
}


@pytest.mark.parametrize("case", CARELESS)
def test_unserializable_state_fails_the_build(
    generated: Callable[[str], tuple[Path, str]], run: Callable[[str, Path], Build], case: str
) -> None:
    """As on Jenkins, even if the code catches exceptions."""
    line, careless, result = CARELESS[case]
    checkout, text = generated("scripted")

    build = run(text.replace(line, f"{careless}\n{line}", 1), checkout)

    assert line in text
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


def test_a_build_restarted_from_a_stage_uses_the_commit_of_the_first_build(
    repository: Repository, run: Callable[..., Build]
) -> None:
    """Although the branch has a newer commit: in all stages, and where conditions examine files.

    `RestartDeclarativePipelineAction` of the plugin pipeline-model-definition copies the variables of the build.
    """
    require(jenkins_harness.available())
    stages = [{"name": name, "script": ["echo commit $(git log -1 --format=%s)"]} for name in ("one", "two", "three")]
    added = {"name": "added", "when": {"exists": "new"}, "script": ["exit 1"]}
    checkout = repository({CONFIG: yaml_text({"pipelines": {"p": {"stages": [*stages, added]}}})})
    text = compiled(Engine(target="jenkins", style="declarative"), checkout, {})
    first, subject = git(checkout, "log", "-1", "--format=%H %s").split(" ", 1)
    (checkout / "new").touch()
    git(checkout, "add", "new")
    git(checkout, "-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "newer")

    build = run(text, checkout, {"PIPEGEN_COMMIT": first})

    assert build.result == "SUCCESS", build.log
    assert build.log.count(f"\ncommit {subject}\n") == 3


def git(checkout: Path, *arguments: str) -> str:
    """Return the output of git in *checkout*."""
    command = ("git", "-C", str(checkout), *arguments)
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
