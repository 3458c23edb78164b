"""`pipegen simulate`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli.program import BROKEN, SEVERAL, SKEWED, Pipegen, process
from documents import ROOT

# unit is waited for by both, lint by package alone: frames would let report wait for lint.
DURATIONS = "lint: 5 minutes\nunit: 60\npackage: 30s\nreport: 4m\n"


# A config in a document, durations for it, and what is told of both.
_EXAMPLE = re.compile(
    r"```yaml\n(?P<config>[^`]*)```\n[^`]*```yaml fragment\n(?P<durations>[^`]*)```\n\n"
    r"<!-- simulate -->\n```\n\$ pipegen (?P<call>[^\n]*)\n(?P<out>[^`]*)```\n"
)


@pytest.fixture
def skewed(empty: Path) -> Path:
    """Return the current folder, with a config of which one branch is slow, and its durations."""
    (empty / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    (empty / "durations.yaml").write_text(DURATIONS, encoding="utf-8")
    return empty


def data(pipegen: Pipegen, *arguments: str | Path) -> dict[str, Any]:
    """Return what a call tells as data."""
    result = pipegen("simulate", *arguments, "--format", "json")
    assert (result.status, result.err) == (0, "")
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_the_document_shows_what_is_told(
    pipegen: Pipegen, empty: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long a run takes, why not less, and what happens when; `--update-golden` writes it anew."""
    # As wide as without a terminal.
    monkeypatch.setenv("COLUMNS", "100")
    document = ROOT / "docs" / "simulate.md"
    text = document.read_text(encoding="utf-8")
    found = _EXAMPLE.search(text)
    assert found is not None
    (empty / "pipegen.yaml").write_text(found["config"], encoding="utf-8")
    (empty / "durations.yaml").write_text(found["durations"], encoding="utf-8")
    result = pipegen(*found["call"].split())
    if request.config.getoption("--update-golden"):
        document.write_text(text[: found.start("out")] + result.out + text[found.end("out") :], encoding="utf-8")

    assert (result.status, result.err) == (0, "")
    assert result.out == _EXAMPLE.search(document.read_text(encoding="utf-8"))["out"]  # type: ignore[index]


@pytest.mark.usefixtures("skewed")
def test_without_durations_stages_are_counted(pipegen: Pipegen) -> None:
    """It is said that no durations are known."""
    result = pipegen("simulate", "--executors", "1")

    assert "each stage takes 1" in result.out
    assert data(pipegen, "--executors", "1")["makespan"] == 4
    assert data(pipegen)["makespan"] == 2


@pytest.mark.usefixtures("skewed")
@pytest.mark.parametrize(
    ("target", "makespan"),
    [("gitlab", 330), ("jenkins-scripted", 330), ("jenkins-declarative", 540), ("jenkins-frames", 540)],
)
def test_a_target_may_let_stages_wait(pipegen: Pipegen, target: str, makespan: float) -> None:
    """Blocks and frames cannot say this graph."""
    result = pipegen("simulate", "--durations", "durations.yaml", "--target", target, "--format", "json")

    assert (result.status, json.loads(result.out)["makespan"], json.loads(result.out)["target"]) == (
        0,
        makespan,
        target,
    )
    assert ("PG601" in result.err) == (target == "jenkins-declarative")


@pytest.mark.usefixtures("skewed")
def test_a_sweep_tells_where_more_executors_stop_helping(pipegen: Pipegen) -> None:
    """And shows the run on as many as help."""
    result = pipegen("simulate", "--durations", "durations.yaml", "--sweep", "1..6")
    found = data(pipegen, "--durations", "durations.yaml", "--sweep", "1..6")

    assert "More than 2 executors do not help" in result.out
    assert "service on 2 executors" in result.out
    assert (found["sweep"]["enough"], found["sweep"]["nearly_enough"]) == (2, 2)
    assert [step["makespan"] for step in found["sweep"]["steps"]] == [630, 330, 330, 330, 330, 330]


@pytest.mark.usefixtures("skewed")
def test_the_order_decides_who_starts_first(pipegen: Pipegen) -> None:
    """The longest path goes first by default."""
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


def test_pipelines_that_run_side_by_side_share_the_executors(pipegen: Pipegen, empty: Path) -> None:
    """Those of one config, and those of several."""
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


def test_a_cluster_has_labels(pipegen: Pipegen, empty: Path) -> None:
    """A stage waits for an executor that fits, and is refused when there is none."""
    stages = "[{ name: a, agent: gpu, script: x }, { name: b, agent: gpu, script: x }, { name: c, script: x }]"
    (empty / "pipegen.yaml").write_text(
        f"pipelines: {{ p: {{ stages: {stages}, execution: [[a], [b], [c]] }} }}", encoding="utf-8"
    )
    (empty / "cluster.yaml").write_text(
        "machines: [{ name: plain, count: 2 }, { name: big, labels: [gpu] }]", encoding="utf-8"
    )
    (empty / "plain.yaml").write_text("machines: [{ name: plain }]", encoding="utf-8")
    found = data(pipegen, "--cluster", "cluster.yaml")
    refused = pipegen("simulate", "--cluster", "plain.yaml")

    assert found["makespan"] == 2
    assert {stage["executor"] for stage in found["stages"] if stage["stage"] != "c"} == {"big"}
    assert (refused.status, refused.out) == (1, "")
    assert "PG802" in refused.err


@pytest.mark.usefixtures("skewed")
def test_the_chart_is_a_picture_too(pipegen: Pipegen) -> None:
    """A file is written anew when it is a picture, and left alone when it is none."""
    for _ in range(2):
        assert pipegen("simulate", "--svg", "chart.svg").status == 0
    refused = pipegen("simulate", "--svg", "pipegen.yaml")

    assert Path("chart.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert (refused.status, refused.err) == (2, 'pipegen: "pipegen.yaml" exists and is not SVG: name another file\n')


@pytest.mark.usefixtures("skewed")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--executors", "2", "--cluster", "c"], "omit --executors and --sweep"),
        (["--sweep", "1..4", "--cluster", "c"], "omit --executors and --sweep"),
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
def test_wrong_usage_is_told(pipegen: Pipegen, arguments: list[str], words: str) -> None:
    """Before anything is read."""
    result = pipegen("simulate", *arguments)

    assert (result.status, result.out) == (2, "")
    assert words in result.err


@pytest.mark.usefixtures("skewed")
def test_what_is_wrong_with_a_file_is_told(pipegen: Pipegen) -> None:
    """The config's own mistakes, and those of the durations."""
    Path("broken.yaml").write_text(BROKEN, encoding="utf-8")
    Path("durations.yaml").write_text("lint: soon", encoding="utf-8")
    broken, wrong = pipegen("simulate", "broken.yaml"), pipegen("simulate", "--durations", "durations.yaml")
    absent = pipegen("simulate", "--durations", "nothing.yaml")

    assert (broken.status, broken.out, "PG301" in broken.err) == (1, "", True)
    assert (wrong.status, wrong.out, "PG810" in wrong.err) == (1, "", True)
    assert (absent.status, absent.err) == (3, "pipegen: nothing.yaml: No such file or directory\n")


@pytest.mark.slow
def test_the_same_input_gives_the_same_bytes(skewed: Path) -> None:
    """In a process of its own each time, whatever its hashes are."""
    for form in ("text", "json"):
        call = ("simulate", "--executors", "2", "--durations", "durations.yaml", "--svg", "chart.svg", "--format", form)
        found = {
            (process(*call, at=skewed, variables={"PYTHONHASHSEED": seed}).stdout, (skewed / "chart.svg").read_bytes())
            for seed in ("1", "2")
        }
        assert len(found) == 1


def test_a_terminal_that_knows_no_blocks_gets_others(skewed: Path) -> None:
    """The chart is plain then."""
    plain = process("simulate", at=skewed, variables={"PYTHONIOENCODING": "ascii"})

    assert (plain.returncode, plain.stdout.isascii()) == (0, True)
    assert "#" in plain.stdout
