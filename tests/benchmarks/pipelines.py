"""Random pipelines for benchmarks."""

from __future__ import annotations

import random

from run.simulated_runs_in_tests import graph_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.plan.model import Plan


def random_plan(dice: random.Random, stages: int, *, name: str = "p") -> tuple[Plan, dict[str, float]]:
    """Return a plan of this number of *stages* and their durations: most of them short, a few long.

    The stages are in a few layers. Each has one to three predecessors in the previous layer, and some have predecessors
    in earlier layers.
    """
    layers = dice.randint(3, max(3, stages // 3))
    names = [f"s{number}" for number in range(stages)]
    layer = {stage: layer if layer < layers else dice.randrange(layers) for layer, stage in enumerate(names)}
    by_layer = [[stage for stage in names if layer[stage] == number] for number in range(layers)]
    arcs: list[list[str]] = [[stage] for stage in names]
    for stage in names:
        if layer[stage]:
            nearest = by_layer[layer[stage] - 1]
            arcs += [[earlier, stage] for earlier in dice.sample(nearest, min(len(nearest), dice.randint(1, 3)))]
            if layer[stage] > 1 and dice.random() < 0.2:
                arcs.append([dice.choice(by_layer[dice.randrange(layer[stage] - 1)]), stage])
    durations = {stage: round(dice.lognormvariate(4.0, 1.0), 1) for stage in names}
    return graph_plan(ExecutionGraph(arcs), name=name), durations


def layered_config(stages: int, width: int, seed: int = 1) -> str:
    """Return a config of *stages* in layers of *width*, each with three predecessors in the previous layer."""
    dice = random.Random(seed)
    lines = ["pipelines:", "  big:", "    stages:"]
    lines += [f"      - {{ name: s{number}, script: [true] }}" for number in range(stages)]
    lines += ["    execution:", *(f"      - [s{number}]" for number in range(width))]
    for number in range(width, stages):
        first = (number // width - 1) * width
        lines += [f"      - [s{earlier}, s{number}]" for earlier in dice.sample(range(first, first + width), 3)]
    return "\n".join([*lines, ""])


def layered_durations(stages: int, seed: int = 1) -> str:
    """Return a file with the durations of the stages of this config."""
    dice = random.Random(seed)
    return "".join(f"s{number}: {dice.randint(1, 300)}\n" for number in range(stages))
