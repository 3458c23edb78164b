"""Needs that other needs imply."""

from __future__ import annotations

import random

import pytest
from targets.gitlab.compiled import compiled

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab import order

CHAIN = "execution: [[a, b, c], [a, c]]"


def test_transitively_implied_needs_are_removed() -> None:
    """C needs b, which needs a."""
    output = compiled(f"pipelines: {{ p: {{ stages: [{{name: a}}, {{name: b}}, {{name: c}}], {CHAIN} }} }}")

    assert output.needs("c") == [("b", False)]


@pytest.mark.parametrize(
    "key", ["when: { branch: main }", "allow_failure: true", "approve: true", "raw: { gitlab: { when: manual } }"]
)
def test_a_need_stays_if_the_intermediate_job_may_not_wait(key: str) -> None:
    """If b may be missing, fail without effect, or wait for a person, c needs a itself."""
    output = compiled(f"""
        pipelines:
          p:
            stages: [{{name: a, script: [x]}}, {{name: b, script: [x], {key}}}, {{name: c, script: [x]}}]
            {CHAIN}
    """)

    assert {job for job, _ in output.needs("c")} == {"a", "b"}


def test_a_need_is_removed_if_both_jobs_have_the_same_condition() -> None:
    """B exists whenever c does."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: a}}
              - {{name: b, when: {{branch: main}}}}
              - {{name: c, when: {{branch: main}}}}
            {CHAIN}
    """)

    assert output.needs("c") == [("b", False)]


def test_a_need_with_artifacts_stays() -> None:
    """C reads an output of a, although b comes between them."""
    output = compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: a, script: [x], outputs: {{ v: {{ command: x }} }} }}
              - {{name: b, script: [x]}}
              - {{name: c, script: ['x "${{a.v}}"'] }}
            {CHAIN}
    """)

    assert output.needs("c") == [("b", False), ("a", True)]


@pytest.mark.parametrize("seed", range(8))
def test_removing_needs_keeps_the_order(seed: int) -> None:
    """Random graphs with many implied arcs keep their order, and no removable need remains."""
    chance = random.Random(seed)  # noqa: S311 - a graph is no secret
    names = [f"s{number}" for number in range(14)]
    arcs = [
        [earlier, later] for index, earlier in enumerate(names) for later in names[index + 1 :] if chance.random() < 0.4
    ]
    listed = ", ".join(f"[{', '.join(arc)}]" for arc in [*([name] for name in names), *arcs])
    stages = ", ".join(f"{{name: {name}}}" for name in names)
    output = compiled(f"pipelines: {{ p: {{ stages: [{stages}], execution: [{listed}] }} }}")
    wanted, actual = ExecutionGraph([*([name] for name in names), *arcs]), order(output.text)

    assert {name: set(actual.ancestors(name)) for name in names} == {
        name: set(wanted.ancestors(name)) for name in names
    }
    for name in names:
        needed = [need for need, _ in output.needs(name)]
        assert not any(first in actual.ancestors(second) for first in needed for second in needed)
