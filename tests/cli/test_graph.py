"""`pipegen graph`: the stages of a config as text, dot, mermaid and JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import BROKEN, CONFIG, SEVERAL, Pipegen

# The output for CONFIG.
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
def test_one_pipeline_has_no_title(form: str, drawn: str, pipegen: Pipegen) -> None:
    """There is no other pipeline to distinguish it from."""
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
    """There is a warning, and no other output."""
    (here / "pipegen.yaml").write_text("pipelines: {test: {stages: []}}\n", encoding="utf-8")
    result = pipegen(*call)

    assert result.status == 0
    assert "PG211" in result.out + result.err


@pytest.mark.usefixtures("here")
def test_text_is_the_default(pipegen: Pipegen) -> None:
    """It is for terminals."""
    assert pipegen("graph").out == TEXT


@pytest.mark.usefixtures("here")
def test_json_has_nodes_arcs_and_frames(pipegen: Pipegen) -> None:
    """Nodes are in the order of the arcs."""
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
    """Each has a title."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph").out == "checks\n\n1  lint\n2  unit  after lint\n\nnightly\n\n1  soak\n"


def test_several_pipelines_as_dot(here: Path, pipegen: Pipegen) -> None:
    """Each is a separate graph."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    drawn = pipegen("graph", "--format", "dot").out

    assert drawn.count("digraph {") == 2
    assert [line.strip() for line in drawn.splitlines() if "label=" in line] == ['label="checks";', 'label="nightly";']


def test_several_pipelines_as_mermaid(here: Path, pipegen: Pipegen) -> None:
    """All are in one graph, since a Mermaid text contains only one."""
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
    """They are in the order of the file."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")
    document = json.loads(pipegen("graph", "--format", "json").out)

    assert [pipeline["name"] for pipeline in document["pipelines"]] == ["checks", "nightly"]


def test_one_of_several_pipelines_can_be_drawn(here: Path, pipegen: Pipegen) -> None:
    """It then has no title."""
    (here / "pipegen.yaml").write_text(SEVERAL, encoding="utf-8")

    assert pipegen("graph", "--pipeline", "checks").out == "1  lint\n2  unit  after lint\n"


@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "json"])
def test_a_config_with_errors_is_not_drawn(form: str, here: Path, pipegen: Pipegen) -> None:
    """Diagnostics go to standard error, and standard output is empty."""
    (here / "pipegen.yaml").write_text(BROKEN, encoding="utf-8")
    result = pipegen("graph", "--format", form)

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("error[PG301]")


def test_a_stage_name_is_escaped(here: Path, pipegen: Pipegen) -> None:
    """It may contain quotes and backslashes."""
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
    """They also run last; `--format json` contains only the arcs."""
    (empty / "pipegen.yaml").write_text(
        "pipelines: {p: {stages: [{name: a, script: ls}, {name: b, script: ls}, {name: c, script: ls},"
        " {name: mop, script: ls}, {name: report, script: ls}], execution: [[a, [b, c]]], finally: [mop, report]}}",
        encoding="utf-8",
    )

    assert drawn in pipegen("graph", "--format", form).out
    assert "mop" not in pipegen("graph", "--format", "json").out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "json"])
def test_a_graph_is_written_to_a_file(form: str, pipegen: Pipegen) -> None:
    """In every format, the file has the text of standard output."""
    shown = pipegen("graph", "--format", form)
    written = pipegen("graph", "--format", form, "-o", "graph")

    assert (written.status, written.out, written.err) == (0, "", "")
    assert Path("graph").read_text(encoding="utf-8") == shown.out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("g.svg", "<svg"),
        ("g.html", "<!DOCTYPE"),
        ("g.json", "{"),
        ("g.dot", "digraph"),
        ("g.mmd", "flowchart"),
        ("g", "1"),
    ],
)
def test_the_extension_of_a_file_decides_the_format(name: str, beginning: str, pipegen: Pipegen) -> None:
    """Without it, a browser showed the text of a file with the name of a page; `--format` takes precedence."""
    pipegen("graph", "-o", name)
    written = Path(name).read_text(encoding="utf-8")
    pipegen("graph", "-o", f"other-{name}", "--format", "text")

    assert written.startswith(beginning)
    assert Path(f"other-{name}").read_text(encoding="utf-8") == TEXT


@pytest.mark.usefixtures("here")
def test_a_dash_is_standard_output(here: Path, pipegen: Pipegen) -> None:
    """As for other verbs; no file has this name."""
    assert pipegen("graph", "--format", "json", "--output", "-") == pipegen("graph", "--format", "json")
    assert not (here / "-").exists()


def test_a_graph_needs_a_file_that_can_be_written(pipegen: Pipegen) -> None:
    """A missing folder gives no traceback."""
    result = pipegen("graph", "-o", "missing/graph.txt")

    assert (result.status, result.out) == (2, "")
    assert "does not exist" in result.err
