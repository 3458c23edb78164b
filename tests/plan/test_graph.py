"""Graphs of arcs, and errors in arcs."""

from __future__ import annotations

import pytest
from plan.sample_plans import plan_of, reported, wrong


def nodes(*names: str) -> str:
    """Return the stages *names* as a flow list."""
    return f"[{', '.join(f'{{name: {name}}}' for name in names)}]"


def test_without_execution_stages_run_in_sequence() -> None:
    """They run in the order of the file."""
    assert plan_of(nodes("c", "a", "b")).graph.arcs == (("c", "a"), ("a", "b"))


@pytest.mark.parametrize("execution", ["[]", "[[]]", "[[], []]"])
def test_an_empty_execution_is_an_error(execution: str) -> None:
    """A pipeline in which no stage runs is invalid."""
    assert plan_of(nodes("c", "a"), execution).graph.arcs == (("c", "a"),)


def test_an_empty_arc_adds_nothing() -> None:
    """Next to one that names a stage."""
    assert plan_of(nodes("c", "a"), "[[], [a, c]]").graph.arcs == (("a", "c"),)


def test_arcs_share_stages() -> None:
    """A diamond of two arcs."""
    plan = plan_of(nodes("a", "b", "c", "d"), "[[a, b, d], [a, c, d]]")

    assert plan.frames == (("a",), ("b", "c"), ("d",))


def test_an_arc_of_one_stage_adds_no_order() -> None:
    """PipelineLib makes the stage a root again."""
    plan = plan_of(nodes("a", "b"), "[[a, b], [b]]")

    assert plan.frames == (("a",), ("b",))


@pytest.mark.parametrize(
    ("execution", "arcs"),
    [
        ("[[a, [b, c], d]]", {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}),
        ("[[[a, b], [c, d]]]", {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}),
        ("[[[a], [b]], [[c, d]]]", {("a", "b")}),
        ("[[a, [b]], [b, [c, d]]]", {("a", "b"), ("b", "c"), ("b", "d")}),
    ],
)
def test_stages_of_a_group_are_parallel(execution: str, arcs: set[tuple[str, str]]) -> None:
    """After all stages of the previous group, and before all of the next."""
    graph = plan_of(nodes("a", "b", "c", "d"), execution).graph

    assert (set(graph.arcs), set(graph.nodes)) == (arcs, {"a", "b", "c", "d"})


def test_numbers_and_booleans_are_names() -> None:
    """As written."""
    assert plan_of(nodes("1.10", "yes"), "[[1.10, yes]]").graph.arcs == (("1.10", "yes"),)


@pytest.mark.parametrize(
    ("stages", "execution", "expected"),
    [
        (("a", "b"), "[[a, zzz]]", [("PG402", "b"), ("PG301", "zzz")]),
        (("a", "a"), "", [("PG302", "a")]),
        (("a", "a", "a"), "", [("PG302", "a"), ("PG302", "a")]),
        (("setup", "b"), "", [("PG303", "setup")]),
        (("a", "teardown"), "[[a, teardown]]", [("PG303", "teardown")]),
        (("a", "b"), "[[a]]", [("PG402", "b")]),
        (("a", "b"), "[[a, b, a]]", [("PG403", "a")]),
        (("a", "b"), "[[a, a, b]]", [("PG403", "a")]),
        (("a", "b"), "[[a, b], [b, a]]", [("PG401", "a, b")]),
        (("a", "b", "c"), "[[a, [b, zzz], c]]", [("PG301", "zzz")]),
        (("a", "b", "c"), "[[a, [b, b], c]]", [("PG403", "b")]),
        (("a", "b", "c"), "[[[a, b], c, a]]", [("PG403", "a")]),
        (("a", "b", "c"), "[[a, [b, c]], [c, a]]", [("PG401", "a, [b, c")]),
        (("a", "b", "c"), "[[a, b, c, b]]", [("PG403", "b")]),
        (("a", "b", "c"), "[[a, zzz, b], [b, a], [c]]", [("PG401", "a, zzz, b"), ("PG301", "zzz")]),
    ],
)
def test_errors_in_arcs_are_reported_once(
    stages: tuple[str, ...], execution: str, expected: list[tuple[str, str]]
) -> None:
    """Each error is at its location."""
    assert wrong(nodes(*stages), execution) == expected


def test_a_duplicate_stage_refers_to_the_first() -> None:
    """Of two stages with the same name, the first counts."""
    (diagnostics,) = reported("pipelines: {p: {stages: [{name: a}, {name: b}, {name: a}]}}")

    assert [label.span.first.column for label in diagnostics.related] == [33]


def test_a_mistyped_stage_is_one_error() -> None:
    """The intended stage is not reported as unused."""
    stages = """[{name: build}, {name: test, build: x, run: {tail: 1}},
        {name: show, build: x, run: {arguments: ['${test.output}']}}]"""

    assert wrong(stages, "[[build, tset, show]]") == [("PG301", "tset")]


def test_a_mistyped_stage_is_not_replaced_by_a_used_one() -> None:
    """That would create cycles that the user did not write."""
    assert wrong(nodes("build", "test"), "[[build, tset, test]]") == [("PG301", "tset")]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("biuld", 'rename it to "build", or add a stage "biuld"'),
        ("zzz", 'add a stage "zzz", or name one of "build", "test"'),
    ],
)
def test_the_hint_names_stages(name: str, hint: str) -> None:
    """The most similar one, or all of them."""
    diagnostic = reported(
        f"pipelines: {{p: {{stages: [{{name: build}}, {{name: test}}], execution: [[build, test], [{name}]]}}}}"
    )

    assert diagnostic[0].hint == hint


def test_each_component_is_reported_once_with_a_cycle() -> None:
    """From the arc first in the file; every arc of it has a label."""
    diagnostics = reported("""
        pipelines:
          p:
            stages: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}]
            execution:
              - [a, b, c]
              - [a, b]
              - [b, c]
              - [c, a]
              - [c, d, e]
              - [e, d]
    """)

    assert [
        (diagnostic.code.number, diagnostic.message.partition(": ")[2])
        for diagnostic in diagnostics
        if diagnostic.code.number == "PG401"
    ] == [
        ("PG401", "a -> b -> c -> a"),
        ("PG401", "d -> e -> d"),
    ]
    assert [len(diagnostic.related) for diagnostic in diagnostics if diagnostic.code.number == "PG401"] == [2, 1]


def test_a_cycle_in_one_pipeline_does_not_hide_errors_in_another() -> None:
    """All errors are reported at once."""
    diagnostics = reported("""
        pipelines:
          p: {stages: [{name: a}, {name: b}], execution: [[a, b], [b, a]]}
          q: {stages: [{name: a, build: '${b.x}'}]}
    """)

    assert [diagnostic.code.number for diagnostic in diagnostics] == ["PG401", "PG305"]


@pytest.mark.parametrize("slip", ["stge-77", "stagee-77", "stoge-77", "satge-77"])
def test_one_typo_has_a_suggestion_among_many_stages(slip: str) -> None:
    """A missing, extra or different character, or two swapped ones."""
    names = ", ".join(f"{{name: stage-{number}}}" for number in range(70, 80))
    others = ", ".join(f"{{name: other-{number}}}" for number in range(200))
    diagnostics = reported(f"pipelines: {{p: {{stages: [{others}, {names}], execution: [[stage-70, {slip}]]}}}}")
    (unknown,) = (diagnostic for diagnostic in diagnostics if diagnostic.code.number == "PG301")

    assert unknown.hint == f'rename it to "stage-77", or add a stage "{slip}"'


def test_a_dissimilar_name_has_no_suggestion_among_many_stages() -> None:
    """A comparison with each stage would be slow."""
    others = ", ".join(f"{{name: other-{number}}}" for number in range(200))
    diagnostics = reported(f"pipelines: {{p: {{stages: [{others}], execution: [[other-0, {'x' * 5000}]]}}}}")
    (unknown,) = (diagnostic for diagnostic in diagnostics if diagnostic.code.number == "PG301")

    assert unknown.related == ()
