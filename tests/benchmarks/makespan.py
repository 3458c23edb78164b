"""Makespans of execution orders on random pipelines, compared with the lower bound."""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Iterator
from itertools import pairwise, product

from benchmarks.pipelines import random_plan

from pipegen.graph.execution import ExecutionGraph
from pipegen.run.bounds import longest_path
from pipegen.run.model import RunMachine, TaskId
from pipegen.run.scheduling.scheduler import CRITICAL_PATH, ORDERS, scheduler
from pipegen.run.simulation import simulate
from pipegen.run.tasks import pipeline_run

PIPELINES = 400
EXECUTORS = (2, 4, 8)
LIMIT = 1.03
FRAMES = "frames"


def main() -> int:
    """Print the table; return 1 if the makespan of the default order is too far above the bound."""
    print(f"{PIPELINES} random pipelines of 12 to 80 stages: makespan over the lower bound, mean (worst)\n")
    print(f"{'order':<15}{'durations':<15}" + "".join(f"{f'{count} executors':>18}" for count in EXECUTORS))
    limit = 0.0
    for order in (*ORDERS, FRAMES):
        # The other orders do not use durations.
        for is_wrong in (False, True) if order in (CRITICAL_PATH, FRAMES) else (False,):
            cells = []
            for count in EXECUTORS:
                ratios = list(measured(order, count, is_wrong=is_wrong))
                mean = statistics.fmean(ratios)
                limit = max(limit, mean) if order == CRITICAL_PATH else limit
                cells.append(f"{mean:.4f} ({max(ratios):.3f})")
            known = "wrong by 0.5-2" if is_wrong else "known"
            print(f"{order:<15}{known:<15}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    print(f"\n{CRITICAL_PATH}: the highest mean is {limit:.4f}, the limit {LIMIT}")
    return int(limit > LIMIT)


def measured(order: str, count: int, *, is_wrong: bool) -> Iterator[float]:
    """Yield the makespan of each pipeline, divided by the lower bound that follows from its arcs, not from frames."""
    dice = random.Random(20_240)
    machines = [RunMachine(name="executor", slots=count)]
    for _ in range(PIPELINES):
        plan, durations = random_plan(dice, dice.randint(12, 80))
        guess = {stage: time * 2 ** dice.uniform(-1, 1) for stage, time in durations.items()}
        times = {TaskId(plan.name, stage): time for stage, time in durations.items()}
        known = guess if is_wrong else durations
        run = pipeline_run(plan, known, graph=framed(plan.graph) if order == FRAMES else None)
        placed = scheduler(machines, order=CRITICAL_PATH if order == FRAMES else order)
        bound = max(longest_path(pipeline_run(plan, durations), times).seconds, sum(times.values()) / count)
        yield simulate([run], times, machines, placed).makespan / bound


def framed(graph: ExecutionGraph) -> ExecutionGraph:
    """Return the order by frames."""
    nodes = ((node,) for node in graph.nodes)
    return ExecutionGraph(
        [*nodes, *(arc for before, after in pairwise(graph.stack()) for arc in product(before, after))]
    )


if __name__ == "__main__":
    sys.exit(main())
