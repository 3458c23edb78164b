"""A small graph of stages, and random ones."""

from __future__ import annotations

from hypothesis import strategies as st

from pipegen.graph.execution import ExecutionGraph

GRAPH = ExecutionGraph([["build", "test", "release"], ["build", "lint", "release"]])


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> ExecutionGraph:
    """Return a graph of up to *most* stages, whose predecessors are among the previous ones."""
    stages = [f"s{number}" for number in range(draw(st.integers(1, most)))]
    arcs: list[list[str]] = [[stage] for stage in stages]
    for position, stage in enumerate(stages[1:], start=1):
        before = draw(st.lists(st.sampled_from(stages[:position]), max_size=3, unique=True))
        arcs += [[earlier, stage] for earlier in before]
    return ExecutionGraph(arcs)
