"""Commands of imported jobs stay the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from importing.samples import from_text, messages
from ruamel.yaml import YAML
from yaml_data import yaml_data

from pipegen.importing.gitlab.proof.comparison import prove


@pytest.mark.parametrize(
    ("command", "in_config"),
    [
        (r'echo "\${a.b}"', r'echo "\${a.b}"'),
        (r"echo '\${a.b}'", r"echo '\$${a.b}'"),
        (r"""echo "\${a.b}" '$${a.b}'""", r"""echo "\${a.b}" '$$${a.b}'"""),
        ("make # ${a.b}", "make # ${a.b}"),
        ("echo '${a.b}'", "echo '$${a.b}'"),
    ],
)
def test_text_like_a_reference_is_escaped_where_a_config_reads_it(command: str, in_config: str, tmp_path: Path) -> None:
    """After a backslash, `$${` is an escape only where the backslash is text."""
    result, report = from_text(json.dumps({"a": {"script": ["make"]}, "d": {"script": [command]}}), tmp_path)

    proof = prove(result)
    assert proof is not None
    assert (messages(report), proof.differences) == ("", ())
    assert YAML(typ="safe").load(result.text)["pipelines"]["ci"]["stages"][1]["script"] == [in_config]


@pytest.mark.parametrize(
    ("command", "reference"),
    [
        ('echo "$${a.b}"', "${a.b}"),
        ("echo $${setup.commit}", "${setup.commit}"),
        ("cat <<END\n$${a.b}\nEND", "${a.b}"),
        ("echo '$$${a.b}' \"$$$${a.b}\"", "${a.b}"),
    ],
)
def test_a_script_that_a_config_would_read_as_a_reference_stays_raw(
    command: str, reference: str, tmp_path: Path
) -> None:
    """The shell reads `$$` as its own number, and `$${…}` would be an escape in a config."""
    source = {"a": {"script": ["make"]}, "d": {"script": [command, "echo $$ $$HOME $$(pwd) $${HOME}"]}}
    result, report = from_text(json.dumps(source), tmp_path)
    generated = yaml_data(result.generated[-1].text)

    proof = prove(result)
    assert proof is not None
    assert proof.differences == ()
    assert f'"script" of job "d" stays a key of GitLab: "{reference}" would be a reference' in messages(report)
    assert generated["d"]["script"] == source["d"]["script"]


@pytest.mark.parametrize("text", ["${a.b}", "$${a.b}", "$$$${a.b}", "$${HOME}", "x ${setup.commit}", "${a b.c}"])
def test_a_variable_that_a_config_would_read_as_a_reference_stays_raw(text: str, tmp_path: Path) -> None:
    """In variables, GitLab reads `$$` as a dollar sign."""
    source = {"a": {"script": ["make"]}, "d": {"script": ["make"], "variables": {"V": text}}}
    result, _ = from_text(json.dumps(source), tmp_path)
    generated = yaml_data(result.generated[-1].text)

    proof = prove(result)
    assert proof is not None
    assert proof.differences == ()
    assert generated["d"]["variables"] == {"V": text}


def test_a_key_that_a_config_reads_as_a_reference_stays_raw(tmp_path: Path) -> None:
    """GitLab leaves the text as it is."""
    source = {"a": {"script": ["make"]}, "d": {"script": ["make"], "image": "registry/app:${a.b}"}}
    result, _ = from_text(json.dumps(source), tmp_path)

    assert yaml_data(result.generated[-1].text)["d"]["image"] == "registry/app:${a.b}"


@pytest.mark.parametrize(
    ("command", "is_bash"),
    [
        ("case $x in\n  main | master) make ;;\nesac\n", False),
        ("case $x in (a | b) make ;; esac", False),
        ("case $x in\n  main | master) make | tee log ;;\nesac\n", True),
        ("make |\n  tee log", True),
        ("for x in 1 2; do make; done | tee log", True),
        ("dotnet nuget push x --source y", False),
        ("source ./env", True),
        ("[ -f env ] && source env", True),
    ],
)
def test_pipes_and_commands_of_bash_need_it(command: str, is_bash: bool, tmp_path: Path) -> None:  # noqa: FBT001 - from a table
    """Bars between the patterns of `case` are no pipes, and options no commands."""
    result, _ = from_text(json.dumps({"a": {"script": [command]}}), tmp_path)

    assert ("shell: bash" in result.text) == is_bash


_PIPEFAIL = "set -o pipefail"


@pytest.mark.parametrize(
    "image", ["alpine:3.20", "docker:28-cli", "node:22-alpine", "gcr.io/kaniko-project/executor:debug"]
)
@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("script: [make | cat]", {"script": [_PIPEFAIL, "make | cat"]}),
        ("before_script: [x | y], script: [make | cat]", {"before": [_PIPEFAIL, "x | y"], "script": ["make | cat"]}),
        ("script: [make], after_script: [x | y]", {"script": ["make"], "after": [_PIPEFAIL, "x | y"]}),
        ("script: [set -eo pipefail, make | cat]", {"script": ["set -eo pipefail", "make | cat"]}),
        ("script: [make || exit 2]", {"script": ["make || exit 2"]}),
    ],
)
def test_pipes_in_images_without_bash_set_pipefail(
    image: str, keys: str, expected: dict[str, object], tmp_path: Path
) -> None:
    """The runner sets it where the shell has it, and the one of BusyBox has it."""
    result, report = from_text(f"a: {{ image: '{image}', {keys} }}\n", tmp_path)

    assert messages(report) == ""
    assert yaml_data(result.text)["pipelines"]["ci"]["stages"] == [{"name": "a", "image": image, **expected}]
    assert "set +o pipefail" not in result.generated[-1].text
