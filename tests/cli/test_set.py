"""`--set` sets inputs at compile time."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.program import Pipegen

from pipegen.emit.header import read_header, words

CONFIG = """\
inputs:
  level: { choices: [quick, full], default: quick }
  note: "none"
pipelines:
  p:
    stages:
      - name: s
        script: ['./x ${inputs.level} ${inputs.note}']
"""


@pytest.fixture
def config(here: Path) -> Path:
    """Return the folder with a config that has inputs."""
    (here / "pipegen.yaml").write_text(CONFIG, encoding="utf-8")
    return here


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize("target", ["gitlab", "jenkins"])
def test_a_set_input_is_a_constant(pipegen: Pipegen, target: str) -> None:
    """It is not a parameter of the generated file, and the header has the option."""
    done = pipegen("compile", "-t", target, "-o", "-", "--set", "level=full", "--set", "note=it's\n$x=1")

    assert done.status == 0
    header = read_header(done.out)
    assert header is not None
    assert words(header.options) == ("--set", "level=full", "--set", "note=it's\n$x=1")
    assert "inputs_level=full" in done.out
    assert ("\n  level:" in done.out, "name: 'level'" in done.out) == (False, False)


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize("verb", ["check", "plan", "graph"])
def test_other_verbs_have_the_option(pipegen: Pipegen, verb: str) -> None:
    """They reject values that the input does not allow."""
    assert pipegen(verb, "--set", "level=full").status == 0

    refused = pipegen(verb, "--set", "level=slow")

    assert refused.status == 1
    assert 'error[PG337]: --set: "slow" is not a choice of input "level"' in refused.out + refused.err


@pytest.mark.usefixtures("config")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "level"], '--set takes NAME=VALUE, not "level"'),
        (["--set", "=x"], '--set takes NAME=VALUE, not "=x"'),
        (["--set", "note=a", "--set", "note=b"], '--set sets "note" to two values'),
    ],
)
def test_a_malformed_or_repeated_set_is_wrong_usage(pipegen: Pipegen, options: list[str], message: str) -> None:
    """The message quotes the option."""
    done = pipegen("compile", "-t", "gitlab", *options)

    assert (done.status, done.err) == (2, f"pipegen: {message}\n")
