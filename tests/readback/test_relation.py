"""Generated files enforce the order of the arcs plus the pairs that diagnostics report."""

from __future__ import annotations

import re
from random import Random

import pytest
from graph.families import diamonds, full_layers, ladder, trellis
from readback.families import FAMILIES, all_small, config
from readback.texts import Written, relation, written
from yaml_data import yaml_data

from pipegen.diagnostics.report import Stopped
from pipegen.graph.blocks import added_waits
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.layout import cheapest_blocks
from pipegen.targets.gitlab.memory import memory

EXACT = (("jenkins", "auto"), ("jenkins", "scripted"), ("gitlab", ""))


def compiled(graph: ExecutionGraph, target: str, style: str = "") -> Written:
    """Return the output of *target* for *graph*."""
    return written(config(graph), target, **({"style": style} if style else {}))


def reported_pairs(generated: Written) -> int:
    """Return the number of pairs of stages that diagnostics report as ordered unnecessarily."""
    matches = [
        re.search(r"\((\d+) pairs? of stages in all[);]", diagnostic.message) for diagnostic in generated.diagnostics
    ]
    return sum(int(match[1]) for match in matches if match is not None)


def check_exact(graph: ExecutionGraph) -> None:
    """Compare the order in each engine's file with *graph*."""
    pairs = relation(graph)
    for target, style in EXACT:
        generated = compiled(graph, target, style)
        read = generated.graph()
        assert set(read.nodes) == set(graph.nodes)
        assert (relation(read), reported_pairs(generated)) == (pairs, 0), (target, style, graph)


def check_forced(graph: ExecutionGraph) -> None:
    """Compare the order of forced blocks with *graph* and the reported pairs."""
    generated = compiled(graph, "jenkins", "declarative")
    pairs = relation(generated.graph())
    added = {(earlier, later) for later, earlier in added_waits(graph, cheapest_blocks(graph))}

    assert relation(graph) <= pairs
    assert pairs - relation(graph) == added
    assert reported_pairs(generated) == len(added)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_graph_of_up_to_four_nodes_is_exact(size: int) -> None:
    """In every style of both engines."""
    for graph in all_small(size):
        check_exact(graph)
        check_forced(graph)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_every_graph_of_five_nodes_is_exact(part: int) -> None:
    """There are 302; each style of both engines."""
    graphs = list(all_small(5))

    assert len(graphs) == 302
    for graph in graphs[part::6]:
        check_exact(graph)
        check_forced(graph)


@pytest.mark.slow
@pytest.mark.parametrize("size", [9, 30, 70])
@pytest.mark.parametrize("family", FAMILIES)
def test_larger_graphs_are_exact(family: str, size: int) -> None:
    """More than 50 stages are declared in several functions, and use collectors of needs."""
    graph = FAMILIES[family](size, Random(f"{family} {size}"))  # noqa: S311 - shapes, no secrets

    check_exact(graph)
    if size < 70:
        check_forced(graph)


@pytest.mark.slow
@pytest.mark.parametrize(
    "graph",
    [diamonds(45), ladder(120), trellis(100, 3), full_layers(50, 3)],
    ids=["diamonds", "ladder", "trellis", "full"],
)
def test_deep_graphs_are_exact(graph: ExecutionGraph) -> None:
    """Blocks that would nest too deep are flattened without changing the order."""
    check_exact(graph)


@pytest.mark.parametrize("family", FAMILIES)
def test_child_pipelines_add_only_the_reported_pairs(family: str) -> None:
    """In several files; if some stages may be dropped, the order holds without them."""
    random = Random(family)  # noqa: S311 - shapes, no secrets
    graph = FAMILIES[family](40, random)
    keys = {name: ", when: { branch: main }" for name in graph.nodes if random.random() < 0.2}
    text = config(graph, keys)
    whole = memory(yaml_data(written(text, "gitlab").text))
    split = 0
    for files in (3, 4, 6):
        limit = whole * 20 // 9 // files + 8_000
        try:
            generated = written(f"targets: {{ gitlab: {{ max_yaml_size_bytes: {limit} }} }}\n{text}", "gitlab")
        except Stopped:  # no cut produces parts that are small enough
            continue
        pairs = relation(generated.graph())
        split += bool(generated.children)
        assert relation(graph) <= pairs
        assert len(pairs - relation(graph)) == reported_pairs(generated)

    assert split


def test_a_large_graph_is_read_in_seconds() -> None:
    """It has three hundred stages with many ancestors."""
    graph = FAMILIES["layered"](300, Random(7))  # noqa: S311 - shapes, no secrets

    assert relation(compiled(graph, "jenkins", "scripted").graph()) == relation(graph)
    assert relation(compiled(graph, "gitlab").graph()) == relation(graph)
