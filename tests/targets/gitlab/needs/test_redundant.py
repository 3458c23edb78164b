"""Needs that others imply."""

from __future__ import annotations

import random

import pytest
from targets.gitlab.compiled import compiled

from pipegen.graph.execution import ExecutionGraph
from pipegen.readback.gitlab import order

CHAIN = "execution: [[a, b, c], [a, c]]"


def test_what_a_need_waits_for_is_not_needed_again() -> None:
    """C needs b, which needs a."""
    made = compiled(f"pipelines: {{ p: {{ stages: [{{name: a}}, {{name: b}}, {{name: c}}], {CHAIN} }} }}")

    assert made.needs("c") == [("b", False)]


@pytest.mark.parametrize(
    "key", ["when: { branch: main }", "allow_failure: true", "approve: true", "raw: { gitlab: { when: manual } }"]
)
def test_a_need_stays_where_the_one_between_may_not_hold(key: str) -> None:
    """Where b may be missing, fail all the same, or wait for a person, c waits for a itself."""
    made = compiled(f"""
        pipelines:
          p:
            stages: [{{name: a, script: [x]}}, {{name: b, script: [x], {key}}}, {{name: c, script: [x]}}]
            {CHAIN}
    """)

    assert {job for job, _ in made.needs("c")} == {"a", "b"}


def test_a_need_goes_where_the_one_between_is_there_whenever_the_reader_is() -> None:
    """B and c run on the same condition, so where c runs, b does."""
    made = compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: a}}
              - {{name: b, when: {{branch: main}}}}
              - {{name: c, when: {{branch: main}}}}
            {CHAIN}
    """)

    assert made.needs("c") == [("b", False)]


def test_a_need_that_fetches_stays() -> None:
    """C reads an output of a, so it needs a with artifacts although b comes in between."""
    made = compiled(f"""
        pipelines:
          p:
            stages:
              - {{name: a, script: [x], outputs: {{ v: {{ command: x }} }} }}
              - {{name: b, script: [x]}}
              - {{name: c, script: ['x "${{a.v}}"'] }}
            {CHAIN}
    """)

    assert made.needs("c") == [("b", False), ("a", True)]


@pytest.mark.parametrize("seed", range(8))
def test_the_order_is_that_of_the_arcs(seed: int) -> None:
    """Random graphs with many arcs that others imply: same order, and no need that could go."""
    chance = random.Random(seed)  # noqa: S311 - a graph is no secret
    names = [f"s{number}" for number in range(14)]
    arcs = [[one, other] for index, one in enumerate(names) for other in names[index + 1 :] if chance.random() < 0.4]
    listed = ", ".join(f"[{', '.join(arc)}]" for arc in [*([name] for name in names), *arcs])
    stages = ", ".join(f"{{name: {name}}}" for name in names)
    made = compiled(f"pipelines: {{ p: {{ stages: [{stages}], execution: [{listed}] }} }}")
    wanted, found = ExecutionGraph([*([name] for name in names), *arcs]), order(made.text)

    assert {name: set(found.ancestors(name)) for name in names} == {name: set(wanted.ancestors(name)) for name in names}
    for name in names:
        needed = [need for need, _ in made.needs(name)]
        assert not any(one in found.ancestors(other) for one in needed for other in needed)
