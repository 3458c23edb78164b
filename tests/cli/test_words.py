"""The verbs without a config (explain, targets, schema), the version and the help."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cli.program import Pipegen
from jsonschema import Draft202012Validator

from pipegen.cli.commands.schema import schema_text
from pipegen.config.files.load import load
from pipegen.config.read import read
from pipegen.diagnostics.report import Report
from pipegen.source.tree import plain
from pipegen.targets import registry
from pipegen.targets.base import incompatible

ROOT = Path(__file__).parents[2]
# The settings of each target, as described by its own schema.
SETTINGS: Any = {name: registry.load(name).SETTINGS["properties"] for name in registry.BUILT_IN}
VERBS = (
    *("init", "import", "compile", "check", "graph", "plan", "diff", "run", "simulate", "test", "explain", "targets"),
    "schema",
)


@pytest.mark.parametrize("word", ["PG306", "pg306", "306", "not-an-ancestor"])
def test_a_code_is_explained_by_number_and_name(word: str, pipegen: Pipegen) -> None:
    """The output is the page of the code."""
    result = pipegen("explain", word)

    assert (result.status, result.err) == (0, "")
    assert result.out == (ROOT / "pipegen" / "diagnostics" / "pages" / "PG306.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("unknow-stage", 'did you mean "unknown-stage"?'),
        ("Unknown-Stag", 'did you mean "unknown-stage"?'),
        ("PG999", "messages contain codes, for example error[PG301]"),
        ("", "messages contain codes, for example error[PG301]"),
    ],
)
def test_an_unknown_code_is_wrong_usage(word: str, message: str, pipegen: Pipegen) -> None:
    """Names have suggestions; numbers have none, because a similar number means nothing."""
    result = pipegen("explain", word)

    assert (result.status, result.out, result.err) == (2, "", f'pipegen: no code "{word}"; {message}\n')


def test_a_target_that_cannot_be_loaded_is_reported(
    pipegen: Pipegen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names its distribution, and the other targets are listed."""
    (tmp_path / "broken.py").write_text("raise RuntimeError\n", encoding="utf-8")
    info = tmp_path / "pipegen_broken-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pipegen-broken\nVersion: 1.2\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nbroken = broken\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    result = pipegen("targets")

    assert (result.status, result.err) == (
        1,
        'pipegen: target "broken" of pipegen-broken 1.2 cannot be loaded: RuntimeError\n',
    )
    assert [line for line in result.out.splitlines() if " writes " in line] == [
        "gitlab writes .gitlab-ci.yml",
        "jenkins writes Jenkinsfile",
    ]


def test_targets_lists_all_targets(pipegen: Pipegen) -> None:
    """Each has its output file and a line for each feature."""
    result = pipegen("targets")
    lines = result.out.splitlines()

    assert result.status == 0
    assert {"gitlab writes .gitlab-ci.yml", "jenkins writes Jenkinsfile"} < set(lines)


@pytest.mark.parametrize("name", ["gitlab", "jenkins"])
def test_targets_shows_the_features_of_a_target(name: str, pipegen: Pipegen) -> None:
    """Each has its support and a note; then come the features that cannot be combined."""
    text, _, rest = pipegen("targets", name).out.partition("cannot be combined:\n")
    pairs = rest.partition("minimum versions:\n")[0]
    features = registry.load(name).CAPABILITIES

    for line, capability in zip(text.splitlines()[1:], features, strict=True):
        assert re.fullmatch(
            rf"  {re.escape(capability.feature)} +{capability.support} *{re.escape(capability.note)}", line
        )
    for line, pair in zip(pairs.splitlines(), incompatible(registry.load(name)), strict=True):
        words = re.escape(f"{pair.first} with {pair.second}")
        assert re.fullmatch(rf"  {words} +{pair.code.number}  {re.escape(pair.note)}", line)


def test_targets_can_show_one_target(pipegen: Pipegen) -> None:
    """The others are left out."""
    out = pipegen("targets", "jenkins").out

    assert out.startswith("jenkins writes Jenkinsfile\n")
    assert "gitlab writes" not in out


def test_an_unknown_target_is_wrong_usage(pipegen: Pipegen) -> None:
    """The message has a suggestion."""
    result = pipegen("targets", "jenkin")

    assert (result.status, result.err) == (2, 'pipegen: no target "jenkin"; did you mean "jenkins"?\n')


def test_the_schema_includes_the_settings_of_built_in_targets(pipegen: Pipegen) -> None:
    """The rest is the schema for configs; settings of other targets can be anything."""
    result = pipegen("schema")
    whole = json.loads(result.out)
    settings = whole["properties"]["targets"].pop("properties")

    assert result.status == 0
    assert whole == json.loads((ROOT / "schemas" / "pipelines.schema.json").read_text(encoding="utf-8"))
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert {name: own["properties"] for name, own in settings.items()} == SETTINGS


@pytest.mark.parametrize(
    ("targets", "is_right"),
    [
        ({"gitlab": {"images": "local", "version": "16.11"}, "jenkins": {"agent": "docker"}}, True),
        ({"gitlab": {}, "jenkins": {}}, True),
        ({"gitlab": {"bogus": 1}}, False),
        ({"gitlab": {"images": "loca"}}, False),
        ({"gitlab": {"agent": "docker"}}, False),
        ({"jenkins": {"bogus": 1}}, False),
        ({"jenkins": {"timestamps": "yes"}}, False),
        ({"jenkins": {"discard": {"build": 1}}}, False),
        ({"buildkite": {"bogus": 1}}, True),
    ],
)
def test_the_schema_validates_settings_of_built_in_targets(targets: dict[str, object], *, is_right: bool) -> None:
    """Each setting has a description for editors."""
    whole = json.loads(schema_text())
    config = {"pipelines": {"p": {"stages": [{"name": "a", "script": "ls"}]}}, "targets": targets}
    settings = [own["properties"] for own in whole["properties"]["targets"]["properties"].values()]

    assert Draft202012Validator(whole).is_valid(config) is is_right
    assert [key for own in settings for key, value in own.items() if "description" not in value] == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("tests/golden/*/pipeline.yml")), ids=lambda path: path.parent.name)
def test_golden_configs_are_valid_for_the_schema(path: Path) -> None:
    """Targets and the schema accept the same settings."""
    config: Any = plain(read(load(path, Report()), Report()))
    schema = json.loads(schema_text())["properties"]["targets"]

    assert [error.message for error in Draft202012Validator(schema).iter_errors(config.get("targets", {}))] == []


def test_the_version_is_that_of_the_package(pipegen: Pipegen) -> None:
    """It is the one in pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert pipegen("--version").out == f"pipegen {project['version']}\n"


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_the_verbs(option: str, pipegen: Pipegen) -> None:
    """Each summary is a complete sentence."""
    result = pipegen(option)
    values = {line.split()[0]: line for line in result.out.partition("Commands:\n")[2].splitlines()}

    assert (result.status, tuple(values)) == (0, VERBS)
    assert [verb for verb, line in values.items() if not line.endswith(".") or line.endswith("...")] == []


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str, pipegen: Pipegen) -> None:
    """The exit code is 0."""
    result = pipegen(verb, "--help")

    assert (result.status, result.err) == (0, "")
    assert result.out.startswith(f"Usage: pipegen {verb} [OPTIONS]")


def test_pipegen_without_arguments_shows_the_help(pipegen: Pipegen) -> None:
    """It is wrong usage, but the help is what a new user needs."""
    result = pipegen()

    assert result.status == 2
    assert result.out + result.err == pipegen("--help").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["compile", "--nonsense"], "No such option"),
        (["compile", "one.yaml", "two.yaml"], "two.yaml"),
        (["check", "--format", "xml"], "xml"),
        (["graph", "--format", "png"], "png"),
        (["plan", "--format"], "--format"),
        (["explain"], "CODE"),
    ],
)
def test_wrong_usage_names_the_wrong_argument(arguments: list[str], message: str, pipegen: Pipegen) -> None:
    """The message goes to standard error, and the exit code is 2."""
    result = pipegen(*arguments)

    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_wrong_usage_mentions_the_help_option(pipegen: Pipegen) -> None:
    """It is the option of the verb, if there is one."""
    assert "Try 'pipegen --help' for help" in pipegen("nonsense").err
    assert "Try 'pipegen compile --help' for help" in pipegen("compile", "--nonsense").err
