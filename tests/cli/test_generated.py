"""`pipegen graph` and `pipegen plan` of generated files."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from cli.program import SKEWED, Pipegen
from cli.test_plan import SCHEMA
from jsonschema import Draft202012Validator

PARENT = """\
stages: [one, two]
a: { stage: one, script: x }
go:
  stage: one
  needs: [a]
  variables: { PIPEGEN_HELPER: "1" }
  trigger: { include: [{ local: ci/child.yml }], strategy: depend }
e: { stage: two, needs: [go], script: x }
"""
CHILD = "stages: [one]\nb: { stage: one, script: x }\nc: { stage: one, needs: [b], script: x }\n"
DRAWN = """\
1  lint
   unit
2  package  after lint, unit
   report   after unit
"""


@pytest.fixture
def files(here: Path, pipegen: Pipegen) -> Path:
    """Return the current folder with a config and its generated files for both targets."""
    (here / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    for target in ("jenkins", "gitlab"):
        assert pipegen("compile", "-t", target).status == 0
    return here


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["pipegen.yaml", "Jenkinsfile", ".gitlab-ci.yml"])
def test_a_generated_file_has_the_graph_of_its_config(name: str, pipegen: Pipegen) -> None:
    """The stages have the same order."""
    result = pipegen("graph", name)

    assert (result.status, result.out, result.err) == (0, DRAWN, "")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "json"])
def test_every_graph_format_supports_generated_files(form: str, pipegen: Pipegen) -> None:
    """The graph is that of the config, with stages in the order of the file."""
    drawn, of_config = (pipegen("graph", name, "--format", form).out for name in ("Jenkinsfile", "pipegen.yaml"))
    words, expected = (re.findall(r"\w+", text) for text in (drawn, of_config.replace("service", "Jenkinsfile")))

    assert Counter(words) == Counter(expected)


@pytest.mark.usefixtures("files")
def test_plan_of_a_generated_file_as_text(pipegen: Pipegen) -> None:
    """It has frames, the longest path and the predecessors of each stage."""
    assert pipegen("plan", ".gitlab-ci.yml").out == (
        ".gitlab-ci.yml: gitlab, needs\n"
        "  frame 1: lint, unit\n"
        "  frame 2: package, report\n"
        "  longest path: lint -> package\n\n"
        "  lint\n\n  unit\n\n  package\n    after     lint, unit\n\n  report\n    after     unit\n"
    )


@pytest.mark.usefixtures("files")
def test_plan_of_a_generated_file_as_json(pipegen: Pipegen) -> None:
    """It matches the schema, and has the engine, the form of the order and the needs of each stage."""
    document = json.loads(pipegen("plan", "Jenkinsfile", "--format", "json").out)

    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert document == {
        "order": {
            "file": "Jenkinsfile",
            "engine": "jenkins",
            "form": "scripted",
            "frames": [["lint", "unit"], ["package", "report"]],
            "stages": [
                {"stage": "lint", "frame": 0, "needs": []},
                {"stage": "unit", "frame": 0, "needs": []},
                {"stage": "package", "frame": 1, "needs": ["lint", "unit"]},
                {"stage": "report", "frame": 1, "needs": ["unit"]},
            ],
        }
    }


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("verb", "option", "shown"),
    [
        ("graph", ("--set", "a=b"), "--set"),
        ("graph", ("--pipeline", "service"), "--pipeline"),
        ("plan", ("--expanded",), "--expanded"),
        ("plan", ("--set", "a=b", "--pipeline", "service"), "--pipeline and --set"),
    ],
)
def test_options_for_configs_are_wrong_usage(verb: str, option: tuple[str, ...], shown: str, pipegen: Pipegen) -> None:
    """A generated file has no inputs and no choice of pipelines."""
    result = pipegen(verb, "Jenkinsfile", *option)

    assert (result.status, result.out) == (2, "")
    assert result.err == f'pipegen: "Jenkinsfile" is not a config: omit {shown}\n'


def test_child_pipelines_are_read_with_their_parent(empty: Path, pipegen: Pipegen) -> None:
    """The order covers the jobs of all files."""
    (empty / "ci").mkdir()
    (empty / "ci/child.yml").write_text(CHILD, encoding="utf-8")
    (empty / ".gitlab-ci.yml").write_text(PARENT, encoding="utf-8")
    graph = json.loads(pipegen("graph", ".gitlab-ci.yml", "--format", "json").out)["pipelines"][0]

    assert sorted(graph["arcs"]) == [["a", "b"], ["b", "c"], ["c", "e"]]


@pytest.mark.parametrize("name", ["loop.yml", "a\\0b.yml", "x" * 5000, "../outside.yml"])
def test_an_unreadable_child_pipeline_is_an_error(empty: Path, pipegen: Pipegen, name: str) -> None:
    """It is a link to itself, an invalid file name or a file outside the repository."""
    (empty / "loop.yml").symlink_to("loop.yml")
    (empty.parent / "outside.yml").write_text(CHILD, encoding="utf-8")
    (empty / ".gitlab-ci.yml").write_text(PARENT.replace("ci/child.yml", f'"{name}"'), encoding="utf-8")

    result = pipegen("graph", ".gitlab-ci.yml")

    assert result.status == 1
    assert "error[PG" in result.err


def test_an_error_in_a_child_pipeline_names_its_file(empty: Path, pipegen: Pipegen) -> None:
    """A missing file is reported where the parent names it."""
    (empty / ".gitlab-ci.yml").write_text(PARENT, encoding="utf-8")
    missing = pipegen("graph", ".gitlab-ci.yml")
    (empty / "ci").mkdir()
    (empty / "ci/child.yml").write_text(CHILD.replace("needs: [b]", "needs: [x]"), encoding="utf-8")
    wrong = pipegen("graph", ".gitlab-ci.yml")

    assert (missing.status, missing.out) == (wrong.status, wrong.out) == (1, "")
    assert " --> .gitlab-ci.yml:7:3\n" in missing.err
    assert " --> ci/child.yml:3:26\n" in wrong.err


def test_an_unreadable_order_is_a_diagnostic(empty: Path, pipegen: Pipegen) -> None:
    """Nothing is drawn."""
    (empty / "Jenkinsfile").write_text("node { sh 'make' }\n", encoding="utf-8")
    result = pipegen("plan", "Jenkinsfile")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("error[PG120]: cannot determine the order in this Jenkinsfile: ")


def test_an_order_that_depends_on_rules_is_a_warning(empty: Path, pipegen: Pipegen) -> None:
    """The graph is that of a run with all jobs."""
    text = "a: { script: x }\nb: { script: x, needs: [a], rules: [{ if: $B }] }\n"
    text += "c: { script: x, needs: [{ job: b, optional: true }] }\n"
    (empty / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result = pipegen("graph", ".gitlab-ci.yml")

    assert (result.status, result.out) == (0, "1  a\n2  b  after a\n3  c  after b\n")
    assert result.err.startswith('warning[PG685]: where rules drop "b", "c" does not wait for "a"\n')
