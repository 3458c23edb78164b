"""`pipegen simulate`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.program import BROKEN, SEVERAL, SKEWED, Pipegen, process
from documents import ROOT

# Both later stages wait for unit, only package waits for lint; frames would also let report wait for lint.
DURATIONS = "lint: 5 minutes\nunit: 60\npackage: 30s\nreport: 4m\n"


# The config in a document, its durations, and the output for both.
_EXAMPLE = re.compile(
    r"```yaml\n(?P<config>[^`]*)```\n[^`]*```yaml fragment\n(?P<durations>[^`]*)```\n\n"
    r"<!-- simulate -->\n```\n\$ pipegen (?P<call>[^\n]*)\n(?P<out>[^`]*)```\n"
)


@pytest.fixture
def skewed(empty: Path) -> Path:
    """Return the current folder with a config that has a slow branch, and its durations."""
    (empty / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    (empty / "durations.yaml").write_text(DURATIONS, encoding="utf-8")
    return empty


def data(pipegen: Pipegen, *arguments: str | Path) -> dict[str, Any]:
    """Return the JSON output of a call."""
    result = pipegen("simulate", *arguments, "--format", "json")
    assert (result.status, result.err) == (0, "")
    values: dict[str, Any] = json.loads(result.out)
    return values


def test_the_example_in_the_documentation_is_current(
    pipegen: Pipegen, empty: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It shows the makespan, its reason and a chart; `--update-golden` updates it."""
    # The width is that of a call without a terminal.
    monkeypatch.setenv("COLUMNS", "100")
    document = ROOT / "docs" / "simulate.md"
    text = document.read_text(encoding="utf-8")
    match = _EXAMPLE.search(text)
    assert match is not None
    (empty / "pipegen.yaml").write_text(match["config"], encoding="utf-8")
    (empty / "durations.yaml").write_text(match["durations"], encoding="utf-8")
    result = pipegen(*match["call"].split())
    if request.config.getoption("--update-golden"):
        document.write_text(text[: match.start("out")] + result.out + text[match.end("out") :], encoding="utf-8")

    assert (result.status, result.err) == (0, "")
    assert result.out == _EXAMPLE.search(document.read_text(encoding="utf-8"))["out"]  # type: ignore[index]


@pytest.mark.usefixtures("skewed")
def test_without_durations_each_stage_takes_1(pipegen: Pipegen) -> None:
    """The output says so."""
    result = pipegen("simulate", "--executors", "1")

    assert "each stage takes 1" in result.out
    assert data(pipegen, "--executors", "1")["makespan"] == 4
    assert data(pipegen)["makespan"] == 2


@pytest.mark.usefixtures("skewed")
@pytest.mark.parametrize(
    ("target", "makespan"),
    [("gitlab", 330), ("jenkins-scripted", 330), ("jenkins-declarative", 540), ("jenkins-frames", 540)],
)
def test_a_target_may_add_waits(pipegen: Pipegen, target: str, makespan: float) -> None:
    """Declarative blocks and frames cannot express this graph."""
    result = pipegen("simulate", "--durations", "durations.yaml", "--target", target, "--format", "json")

    assert (result.status, json.loads(result.out)["makespan"], json.loads(result.out)["target"]) == (
        0,
        makespan,
        target,
    )
    assert ("PG601" in result.err) == (target == "jenkins-declarative")


@pytest.mark.usefixtures("skewed")
def test_a_sweep_finds_the_useful_number_of_executors(pipegen: Pipegen) -> None:
    """It also shows the run with that number."""
    result = pipegen("simulate", "--durations", "durations.yaml", "--sweep", "1..6")
    values = data(pipegen, "--durations", "durations.yaml", "--sweep", "1..6")

    assert "More than 2 executors do not help" in result.out
    assert "service on 2 executors" in result.out
    assert (values["sweep"]["enough"], values["sweep"]["nearly_enough"]) == (2, 2)
    assert [step["makespan"] for step in values["sweep"]["steps"]] == [630, 330, 330, 330, 330, 330]


@pytest.mark.usefixtures("skewed")
def test_the_order_option_decides_which_stage_starts_first(pipegen: Pipegen) -> None:
    """The default is the longest path."""
    config = Path("pipegen.yaml")
    config.write_text(
        "pipelines:\n"
        "  p:\n"
        "    stages: [{ name: short }, { name: other }, { name: long }]\n"
        "    execution: [[short], [other], [long]]\n",
        encoding="utf-8",
    )
    Path("durations.yaml").write_text("{ short: 10, other: 10, long: 20 }", encoding="utf-8")
    call = ("--executors", "2", "--durations", "durations.yaml")

    assert data(pipegen, *call)["makespan"] == 20
    assert data(pipegen, *call, "--order", "declared")["makespan"] == 30


def test_concurrent_pipelines_share_the_executors(pipegen: Pipegen, empty: Path) -> None:
    """They may be in one config or in several."""
    for name in ("one.yaml", "other.yaml"):
        (empty / name).write_text(SEVERAL, encoding="utf-8")

    assert data(pipegen, "one.yaml", "--executors", "1")["pipelines"] == ["checks", "nightly"]
    assert data(pipegen, "one.yaml", "--executors", "1")["makespan"] == 3
    assert data(pipegen, "one.yaml", "--executors", "1", "--pipeline", "checks")["makespan"] == 2
    assert data(pipegen, "one.yaml", "other.yaml", "--executors", "1")["pipelines"] == [
        *("one.yaml: checks", "one.yaml: nightly", "other.yaml: checks", "other.yaml: nightly"),
    ]
    assert data(pipegen, "one.yaml", "one.yaml", "--executors", "1")["pipelines"] == [
        *("checks", "nightly", "checks (2)", "nightly (2)"),
    ]


def test_a_stage_runs_on_a_machine_with_its_label(pipegen: Pipegen, empty: Path) -> None:
    """A label that no machine has is an error."""
    stages = "[{ name: a, agent: gpu, script: x }, { name: b, agent: gpu, script: x }, { name: c, script: x }]"
    (empty / "pipegen.yaml").write_text(
        f"pipelines: {{ p: {{ stages: {stages}, execution: [[a], [b], [c]] }} }}", encoding="utf-8"
    )
    (empty / "cluster.yaml").write_text(
        "machines: [{ name: plain, count: 2 }, { name: big, labels: [gpu] }]", encoding="utf-8"
    )
    (empty / "plain.yaml").write_text("machines: [{ name: plain }]", encoding="utf-8")
    values = data(pipegen, "--cluster", "cluster.yaml")
    refused = pipegen("simulate", "--cluster", "plain.yaml")

    assert values["makespan"] == 2
    assert {stage["executor"] for stage in values["stages"] if stage["stage"] != "c"} == {"big"}
    assert (refused.status, refused.out) == (1, "")
    assert "PG802" in refused.err


@pytest.mark.usefixtures("skewed")
def test_simulate_writes_an_svg_chart(pipegen: Pipegen) -> None:
    """An existing SVG file is overwritten, and another file is not."""
    for _ in range(2):
        assert pipegen("simulate", "--svg", "chart.svg").status == 0
    refused = pipegen("simulate", "--svg", "pipegen.yaml")

    assert Path("chart.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert (refused.status, refused.err) == (2, 'pipegen: "pipegen.yaml" exists and is not SVG: name another file\n')


@pytest.mark.usefixtures("skewed")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--executors", "2", "--cluster", "pipegen.yaml"], "omit --executors and --sweep"),
        (["--sweep", "1..4", "--cluster", "pipegen.yaml"], "omit --executors and --sweep"),
        (["--sweep", "0..4"], "such as 1..32"),
        (["--sweep", "9..4"], "such as 1..32"),
        (["--sweep", "1..99999"], "such as 1..32"),
        (["--sweep", "many"], "such as 1..32"),
        (["--order", "random"], '--order takes "critical-path"'),
        (["pipegen.yaml", "pipegen.yaml", "--pipeline", "service"], "--pipeline selects from one config"),
        (["--executors", "0"], "Invalid value for '--executors'"),
        (["nothing.yaml"], '"nothing.yaml" does not exist'),
    ],
)
def test_invalid_options_are_wrong_usage(pipegen: Pipegen, arguments: list[str], words: str) -> None:
    """They are rejected before any file is read."""
    result = pipegen("simulate", *arguments)

    assert (result.status, result.out) == (2, "")
    assert words in result.err


@pytest.mark.usefixtures("skewed")
def test_errors_in_the_config_and_the_durations_are_reported(pipegen: Pipegen) -> None:
    """A missing file is wrong usage."""
    Path("broken.yaml").write_text(BROKEN, encoding="utf-8")
    Path("durations.yaml").write_text("lint: soon", encoding="utf-8")
    broken, wrong = pipegen("simulate", "broken.yaml"), pipegen("simulate", "--durations", "durations.yaml")
    absent = pipegen("simulate", "--durations", "nothing.yaml")

    assert (broken.status, broken.out, "PG301" in broken.err) == (1, "", True)
    assert (wrong.status, wrong.out, "PG810" in wrong.err) == (1, "", True)
    assert (absent.status, absent.err) == (2, 'pipegen: "nothing.yaml" does not exist\n')


@pytest.mark.slow
def test_stages_run_to_their_end_in_spite_of_timeouts(pipegen: Pipegen, empty: Path) -> None:
    """The stages after them run, too; only a timeout of the stage is reported."""
    stages = "[{ name: build, script: [make], timeout: 1m }, { name: unit, script: [make] }]"
    config = f"pipelines: {{ p: {{ timeout: 2m, stages: {stages} }} }}\n"
    (empty / "pipegen.yaml").write_text(config, encoding="utf-8")
    (empty / "durations.yaml").write_text("{ build: 30m, unit: 4 }", encoding="utf-8")
    result = pipegen("simulate", "--durations", "durations.yaml")

    assert (result.status, "PG813" in result.err) == (0, True)
    assert re.search(r"longest path +build \(30 min\) -> unit \(4 s\)", result.out)


def test_output_is_deterministic(skewed: Path) -> None:
    """Each call is a process with another hash seed."""
    for form in ("text", "json"):
        call = ("simulate", "--executors", "2", "--durations", "durations.yaml", "--svg", "chart.svg", "--format", form)
        pairs = {
            (process(*call, at=skewed, variables={"PYTHONHASHSEED": seed}).stdout, (skewed / "chart.svg").read_bytes())
            for seed in ("1", "2")
        }
        assert len(pairs) == 1


def test_an_ascii_terminal_gets_an_ascii_chart(skewed: Path) -> None:
    """Block characters are replaced."""
    plain = process("simulate", at=skewed, variables={"PYTHONIOENCODING": "ascii"})

    assert (plain.returncode, plain.stdout.isascii()) == (0, True)
    assert "#" in plain.stdout
