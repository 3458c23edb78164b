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
    """Return the current folder, which holds a config and what both targets write for it."""
    (here / "pipegen.yaml").write_text(SKEWED, encoding="utf-8")
    for target in ("jenkins", "gitlab"):
        assert pipegen("compile", "-t", target).status == 0
    return here


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["pipegen.yaml", "Jenkinsfile", ".gitlab-ci.yml"])
def test_a_file_is_drawn_as_its_config(name: str, pipegen: Pipegen) -> None:
    """The order is the same."""
    result = pipegen("graph", name)

    assert (result.status, result.out, result.err) == (0, DRAWN, "")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("form", ["text", "dot", "mermaid", "json"])
def test_every_format_draws_a_file(form: str, pipegen: Pipegen) -> None:
    """As it draws a config: stages stand in the order of the file."""
    drawn, of_config = (pipegen("graph", name, "--format", form).out for name in ("Jenkinsfile", "pipegen.yaml"))
    words, expected = (re.findall(r"\w+", text) for text in (drawn, of_config.replace("service", "Jenkinsfile")))

    assert Counter(words) == Counter(expected)


@pytest.mark.usefixtures("files")
def test_a_plan_of_a_file_as_text(pipegen: Pipegen) -> None:
    """Frames, the longest path and what each stage comes after."""
    assert pipegen("plan", ".gitlab-ci.yml").out == (
        ".gitlab-ci.yml: gitlab, needs\n"
        "  frame 1: lint, unit\n"
        "  frame 2: package, report\n"
        "  longest path: lint -> package\n\n"
        "  lint\n\n  unit\n\n  package\n    after     lint, unit\n\n  report\n    after     unit\n"
    )


@pytest.mark.usefixtures("files")
def test_a_plan_of_a_file_as_data(pipegen: Pipegen) -> None:
    """As the schema says: whose file it is, how it says its order, and what each stage comes after."""
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
def test_options_that_ask_for_a_config(verb: str, option: tuple[str, ...], shown: str, pipegen: Pipegen) -> None:
    """They are wrong usage: a generated file holds no choice any more."""
    result = pipegen(verb, "Jenkinsfile", *option)

    assert (result.status, result.out) == (2, "")
    assert result.err == f'pipegen: "Jenkinsfile" is a generated file, for which {shown} cannot be used\n'


def test_child_pipelines_are_read_beside_their_parent(empty: Path, pipegen: Pipegen) -> None:
    """Where the parent says they are; the order is that of all files."""
    (empty / "ci").mkdir()
    (empty / "ci/child.yml").write_text(CHILD, encoding="utf-8")
    (empty / ".gitlab-ci.yml").write_text(PARENT, encoding="utf-8")
    graph = json.loads(pipegen("graph", ".gitlab-ci.yml", "--format", "json").out)["pipelines"][0]

    assert sorted(graph["arcs"]) == [["a", "b"], ["b", "c"], ["c", "e"]]


@pytest.mark.parametrize("name", ["loop.yml", "a\\0b.yml", "x" * 5000, "../outside.yml"])
def test_a_child_that_no_file_can_be_is_not_there(empty: Path, pipegen: Pipegen, name: str) -> None:
    """A link to itself, a name that the system does not take, a place outside of the repository."""
    (empty / "loop.yml").symlink_to("loop.yml")
    (empty.parent / "outside.yml").write_text(CHILD, encoding="utf-8")
    (empty / ".gitlab-ci.yml").write_text(PARENT.replace("ci/child.yml", f'"{name}"'), encoding="utf-8")

    result = pipegen("graph", ".gitlab-ci.yml")

    assert result.status == 1
    assert "error[PG" in result.err


def test_what_is_wrong_in_a_child_pipeline_is_shown_there(empty: Path, pipegen: Pipegen) -> None:
    """By the path of its own file; one that is not there, where it is asked for."""
    (empty / ".gitlab-ci.yml").write_text(PARENT, encoding="utf-8")
    missing = pipegen("graph", ".gitlab-ci.yml")
    (empty / "ci").mkdir()
    (empty / "ci/child.yml").write_text(CHILD.replace("needs: [b]", "needs: [x]"), encoding="utf-8")
    wrong = pipegen("graph", ".gitlab-ci.yml")

    assert (missing.status, missing.out) == (wrong.status, wrong.out) == (1, "")
    assert " --> .gitlab-ci.yml:7:3\n" in missing.err
    assert " --> ci/child.yml:3:26\n" in wrong.err


def test_what_cannot_be_read_is_a_diagnostic(empty: Path, pipegen: Pipegen) -> None:
    """No drawing beside it."""
    (empty / "Jenkinsfile").write_text("node { sh 'make' }\n", encoding="utf-8")
    result = pipegen("plan", "Jenkinsfile")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith("error[PG120]: cannot determine the order in this Jenkinsfile: ")


def test_an_order_that_hangs_on_rules_is_drawn_with_a_warning(empty: Path, pipegen: Pipegen) -> None:
    """It is that of a run with all jobs."""
    text = "a: { script: x }\nb: { script: x, needs: [a], rules: [{ if: $B }] }\n"
    text += "c: { script: x, needs: [{ job: b, optional: true }] }\n"
    (empty / ".gitlab-ci.yml").write_text(text, encoding="utf-8")
    result = pipegen("graph", ".gitlab-ci.yml")

    assert (result.status, result.out) == (0, "1  a\n2  b  after a\n3  c  after b\n")
    assert result.err.startswith('warning[PG685]: where rules drop "b", "c" does not wait for "a"\n')
