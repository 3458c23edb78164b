"""Equal arcs have equal results, independent of Python's hash seed."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
from pipegen.graph.blocks import blocks, direct_waits
from pipegen.graph.execution import DoneError
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.render.dot import render_dot
from pipegen.graph.layout import cheapest_blocks
from pipegen.graph.render.mermaid import render_mermaid
from pipegen.graph.render.text import render_text
names = [chr(97 + number % 26) * (1 + number // 26) for number in range(60)]
graph = ExecutionGraph([[names[n], names[n + step]] for step in (7, 3, 11) for n in range(len(names) - step)])
knots = graph | ExecutionGraph([["b", "a"], ["l", "e"], ["zz", "bb"]])
print(graph, graph.stack(), graph.topological(), graph.ancestors("zz"), graph.descendants("a"), knots.cycles())
frames = [[(node,) for node in frame] for frame in graph.stack()]
print(blocks(graph), direct_waits(graph, frames), cheapest_blocks(graph))
print(graph.transitive_reduction(), graph.closure())
print(render_dot(graph), render_text(graph), render_mermaid(graph), graph.candidates({"a", "b", "c"}))
try:
    graph.candidates({"1", "2", "3"})
except DoneError as error:
    print(error)
"""


def test_results_do_not_depend_on_the_hash_seed() -> None:
    """Three processes with different seeds have the same output."""
    printed = {_run(seed) for seed in ("0", "1", "77")}

    assert len(printed) == 1
    assert len(printed.pop()) > 1000


def _run(seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(done.stderr)
    return done.stdout
