"""`pipegen graph`: the stages, drawn."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, SEVERAL, Pipegen

# What CONFIG is drawn as.
TEXT = """\
1  lint
   unit
2  candidate  after lint, unit
"""
DOT = """\
digraph {
    rankdir=LR;
    node [shape=box];
    "lint";
    "candidate";
    "unit";
    "lint" -> "candidate";
    "unit" -> "candidate";
}
"""
MERMAID = """\
flowchart LR
    n0["lint"]
    n1["candidate"]
    n2["unit"]
    n0 --> n1
    n2 --> n1
"""


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("form", "drawn"), [("text", TEXT), ("dot", DOT), ("mermaid", MERMAID)])
def test_one_pipeline(form: str, drawn: str, pipegen: Pipegen) -> None:
    """Without a title: there is nothing to tell it from."""
    result = pipegen("graph", "--format", form)

    assert (result.status, result.out, result.err) == (0, drawn, "")


@pytest.mark.parametrize(
    "call",
    [
        *(("graph", "--format", form) for form in ("text", "dot", "json", "mermaid", "html", "svg")),
        *(
            ("compile", "-t", "jenkins", "-o", "-"),
            ("compile", "-t", "jenkins", "-o", "-", "--changed-since", "0" * 40),
        ),
        *(("plan",), ("simulate",), ("run",), ("run", "--dry-run"), ("check",), ("check", "-t", "jenkins")),
    ],
    ids=" ".join,
)
def test_no_verb_fails_on_a_config_without_stages(call: tuple[str, ...], here: Path, pipegen: Pipegen) -> None:
    """There is a warning, and nothing to show or to do."""
    (here / "pipegen.yaml").write_text("pipelines: {test: {stages: []}}\n", encoding="utf-8")
    result = pipegen(*call)

    assert result.status == 0
    assert "PG211" in result.out + result.err


@pytest.mark.usefixtures("here")
def test_text_is_the_default(pipegen: Pipegen) -> None:
    """For a person at a terminal."""
    assert pipegen("graph").out == TEXT


@pytest.mark.usefixtures("here")
def test_json_holds_nodes_arcs_and_frames(pipegen: Pipegen) -> None:
    """In the order in which the arcs name them."""
    document = json.loads(pipegen("graph", "--format", "json").out)

    assert document == {
        "pipelines": [
            {
                "name": "service",
                "nodes": ["lint", "candidate", "unit"],
                "arcs": [["lint", "candidate"], ["unit", "candidate"]],
                "frames": [["lint", "unit"], ["candidate"]],
            }
        ]
    }


def test_several_pipelines_as_text(here: Path, pipegen: Pipegen) -> None:
    """Each under its name."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph").out == "checks\n\n1  lint\n2  unit  after lint\n\nnightly\n\n1  soak\n"


def test_several_pipelines_as_dot(here: Path, pipegen: Pipegen) -> None:
    """A graph each, which `dot` draws one after the other."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    drawn = pipegen("graph", "--format", "dot").out

    assert drawn.count("digraph {") == 2
    assert [line.strip() for line in drawn.splitlines() if "label=" in line] == ['label="checks";', 'label="nightly";']


def test_several_pipelines_as_mermaid(here: Path, pipegen: Pipegen) -> None:
    """Side by side in one graph, since a text of Mermaid holds one."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    drawn = pipegen("graph", "--format", "mermaid").out

    assert drawn.count("flowchart") == 1
    assert [re.sub("[^a-z]", "", line) for line in drawn.splitlines()[1:]] == [
        "ncheckslint",
        "nchecksunit",
        "nnightlysoak",
        "nn",
    ]


def test_several_pipelines_as_json(here: Path, pipegen: Pipegen) -> None:
    """In the order of the file."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    document = json.loads(pipegen("graph", "--format", "json").out)

    assert [pipeline["name"] for pipeline in document["pipelines"]] == ["checks", "nightly"]


def test_one_of_several_can_be_drawn(here: Path, pipegen: Pipegen) -> None:
    """It then stands alone, without a title."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph", "--pipeline", "checks").out == "1  lint\n2  unit  after lint\n"


@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "json"])
def test_a_config_with_errors_is_not_drawn(form: str, here: Path, pipegen: Pipegen) -> None:
    """Standard output stays empty; diagnostics stand on standard error."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("graph", "--format", form)

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("error[PG301]")


def test_a_stage_with_any_name_is_drawn(here: Path, pipegen: Pipegen) -> None:
    """Quotes in it end no string of the drawing."""
    (here / "pipegen.yaml").write_text(CONFIG.replace("lint", r"""'a "quoted" \ name'"""), encoding="utf-8")

    assert r'"a \"quoted\" \\ name" -> "candidate";' in pipegen("graph", "--format", "dot").out


@pytest.mark.parametrize(
    ("form", "drawn"),
    [
        ("text", "1  a\n2  b       after a\n   c       after a\n3  mop     after b, c\n   report  after b, c\n"),
        ("dot", '    "b" -> "mop";\n    "b" -> "report";\n    "c" -> "mop";\n'),
        ("mermaid", 'n4["report"]'),
    ],
)
def test_finally_stages_come_after_all_others(form: str, drawn: str, empty: Path, pipegen: Pipegen) -> None:
    """As they do when the pipeline runs; `--format json` holds the arcs alone."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: a, script: ls}, {name: b, script: ls}, {name: c, script: ls},"
        " {name: mop, script: ls}, {name: report, script: ls}], execution: [[a, [b, c]]], finally: [mop, report]}}",
        encoding="utf-8",
    )

    assert drawn in pipegen("graph", "--format", form).out
    assert "mop" not in pipegen("graph", "--format", "json").out
