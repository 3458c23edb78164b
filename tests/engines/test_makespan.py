"""Real build times, compared with the simulation that interprets generated files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from engines.jenkins_harness import available, run
from engines.requirement import require
from makespan.clock import frames, makespan
from readback.texts import written

from pipegen.graph.execution import ExecutionGraph

# Two chains in an N shape: a barrier between the first two stages and the others costs three seconds.
SKEWED = {"a": 3.0, "b": 0.2, "c": 0.2, "d": 3.0}
SKEWED_ARCS = "[[a, c], [b, c], [b, d]]"
# A fork in a branch, whose last stage has an arc to the other branch.
FORKED = {"a": 0.2, "b": 0.6, "c": 1.2, "d": 0.2, "e": 1.0, "f": 0.2}
FORKED_ARCS = "[[a, b, d], [a, c, d], [a, e], [d, f], [e, f]]"
# The overhead of the engine: a checkout and a process for each stage, on a busy machine.
OVERHEAD = 2.5


@pytest.mark.parametrize("style", ["scripted", "declarative"])
@pytest.mark.parametrize(
    ("durations", "arcs"), [(SKEWED, SKEWED_ARCS), (FORKED, FORKED_ARCS)], ids=["skewed", "forked"]
)
def test_a_build_takes_the_simulated_time(
    durations: Mapping[str, float],
    arcs: str,
    style: str,
    repository: Callable[[Mapping[str, str | bytes]], Path],
    tmp_path: Path,
) -> None:
    """It is never shorter, and longer only by the engine's overhead."""
    require(available())
    stages = "".join(
        f"          - {{ name: {name}, script: [sleep {length}] }}\n" for name, length in durations.items()
    )
    config = f"    pipelines:\n      demo:\n        stages:\n{stages}        execution: {arcs}\n"
    text = written(config, "jenkins", style=style).text
    build = run(text, repository({"README": "demo"}), workdir=tmp_path / "build")
    leaves = [stage for stage in build.stages if stage.name in durations]
    taken = (max(stage.end for stage in leaves) - min(stage.start for stage in leaves)) / 1000

    assert build.result == "SUCCESS", build.log
    assert makespan(text, durations) - 0.1 <= taken <= makespan(text, durations) + OVERHEAD


def test_the_simulation_distinguishes_the_styles() -> None:
    """The difference exceeds the tolerance of the other test."""
    graph = ExecutionGraph([["a", "c"], ["b", "c"], ["b", "d"]])

    assert frames(graph, SKEWED) == pytest.approx(6.0)
    assert makespan(written(_skewed(), "jenkins", style="scripted").text, SKEWED) == pytest.approx(3.2)


def _skewed() -> str:
    stages = ", ".join(f"{{ name: {name}, script: [x] }}" for name in SKEWED)
    return f"pipelines: {{ demo: {{ stages: [{stages}], execution: {SKEWED_ARCS} }} }}"
