"""Graphs of 100,000 nodes, in a chain or otherwise, take seconds and no recursion."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise

import pytest
from graph.families import frames_as_blocks

from pipegen.graph.blocks import blocks
from pipegen.graph.execution import CycleError, ExecutionGraph
from pipegen.graph.render.dot import render_dot
from pipegen.graph.render.mermaid import render_mermaid
from pipegen.graph.render.text import render_text

SIZE = 100_000
NAMES = [f"n{number}" for number in range(SIZE)]
SHAPES = {
    "chain told backwards": [[later, earlier] for earlier, later in pairwise(NAMES)],
    "fan": [["first", name, "last"] for name in NAMES],
    "ring": [[*NAMES, NAMES[0]]],
    "knots in a row": [NAMES, *([NAMES[i + 1], NAMES[i]] for i in range(0, SIZE, 2))],
}
QUESTIONS: dict[str, Callable[[ExecutionGraph], object]] = {
    "cycles": ExecutionGraph.cycles,
    "stack": ExecutionGraph.stack,
    "topological": ExecutionGraph.topological,
    "candidates": lambda graph: graph.candidates(graph.ancestors(graph.nodes[-1])),
    "ancestors": lambda graph: graph.ancestors(graph.nodes[-1]),
    "descendants": lambda graph: graph.descendants(graph.nodes[0]),
    "hash": hash,
    "equality": lambda graph: graph == ExecutionGraph(graph.arcs),
    "union": lambda graph: graph | graph,
    "concatenation": lambda graph: graph + ExecutionGraph([["after"]]),
    "blocks": blocks,
    "frames as blocks": frames_as_blocks,
    "dot": render_dot,
    "mermaid": render_mermaid,
    "text": render_text,
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_every_method_takes_seconds(shape: str) -> None:
    """Each takes under a second on our machine; ten leave room for a busy one, but not for quadratic time."""
    graph = ExecutionGraph(SHAPES[shape])
    slow: dict[str, float] = {}
    for name, ask in QUESTIONS.items():
        start = time.process_time()
        with suppress(CycleError):
            ask(graph)
        taken = time.process_time() - start
        if taken > 10:
            slow[name] = taken

    assert slow == {}


@pytest.mark.slow
def test_results_for_a_long_chain_are_correct() -> None:
    """Each frame has one node, the last node has all others as ancestors, and the blocks are a chain."""
    graph = ExecutionGraph([NAMES])

    assert graph.stack() == tuple((name,) for name in NAMES)
    assert graph.ancestors(NAMES[-1]) == tuple(NAMES[:-1])
    assert blocks(graph) == tuple(((name,),) for name in NAMES)


@pytest.mark.slow
def test_a_long_ring_is_one_cycle() -> None:
    """The result is the whole cycle."""
    assert ExecutionGraph([[*NAMES, NAMES[0]]]).cycles() == ((*NAMES, NAMES[0]),)
