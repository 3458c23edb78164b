"""Matrix jobs of GitLab, read back as their combinations."""

from __future__ import annotations

import pytest
from readback.texts import order, relation, written

from pipegen.readback.errors import UnreadableError

_FILE = """
stages: [build, test]
build:
  stage: build
  parallel: { matrix: [{ os: [linux, mac], v: ["1"] }, { os: win, v: 2 }] }
  script: [x]
all:
  stage: test
  needs: [build]
  script: [x]
some:
  stage: test
  needs: [{ job: build, parallel: { matrix: [{ os: mac, v: "1" }, { os: win, v: "2" }] } }]
  script: [x]
"""


def test_a_need_on_a_matrix_job_covers_its_combinations() -> None:
    """All of them, or the ones that it names."""
    graph = order(_FILE)

    assert graph.predecessors("all") == ("build: linux, 1", "build: mac, 1", "build: win, 2")
    assert graph.predecessors("some") == ("build: mac, 1", "build: win, 2")


def test_a_need_with_values_of_its_job_is_on_the_same_combination() -> None:
    """https://docs.gitlab.com/ci/yaml/matrix_expressions/."""
    same = "{ os: '$[[ matrix.os ]]', v: ['$[[matrix.v]]'] }"
    graph = order(f"""
stages: [build, test]
build: {{ stage: build, script: x, parallel: {{ matrix: [{{ os: [linux, mac], v: ["1"] }}] }} }}
test:
  stage: test
  parallel: {{ matrix: [{{ os: [linux, mac], v: ["1", "2"] }}] }}
  needs: [{{ job: build, parallel: {{ matrix: [{same}] }} }}]
  script: x
""")

    assert graph.predecessors("test: mac, 1") == ("build: mac, 1",)
    assert graph.predecessors("test: mac, 2") == ()


def test_a_need_on_a_job_with_parts_covers_these() -> None:
    """A part has its number as name."""
    graph = order("a: { script: x, parallel: 2 }\nb: { script: x, stage: deploy, needs: [a] }\n")

    assert graph.predecessors("b") == ("a: 1", "a: 2")


def test_a_need_on_a_combination_name_is_rejected() -> None:
    """A need names the matrix job."""
    with pytest.raises(UnreadableError, match="does not exist"):
        order(_FILE.replace("needs: [build]", 'needs: ["build: linux, 1"]'))


def test_a_generated_matrix_has_the_order_of_the_plan() -> None:
    """Combinations have their names from the plan."""
    config = written(
        """
        pipelines:
          p:
            stages:
              - { name: lint, script: x }
              - { name: unit, matrix: { python: ['3.11', '3.12'] }, script: 'tox -e ${matrix.python}' }
              - { name: end, script: x }
            execution: [[lint, unit, end]]
        """,
        "gitlab",
    )

    assert "matrix:" in config.text
    assert relation(config.graph()) == {
        *(("lint", name) for name in ("unit: 3.11", "unit: 3.12", "end")),
        *((name, "end") for name in ("unit: 3.11", "unit: 3.12")),
    }
