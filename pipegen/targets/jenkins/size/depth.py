"""How deep the `parallel` blocks of a scripted file nest, and the diagnostic for graphs that nest too deep.

In the restarts of Jenkins 2.479 that were measured, builds with 2 to 10 nested blocks were resumed, and some with 12 to
15; those with 17 and more failed to load the program (StackOverflowError). Each depth was restarted few times, 10 once.
Without a restart, 60 run; at some 75 the build itself fails.
"""

from __future__ import annotations

from pipegen.diagnostics import codes
from pipegen.diagnostics.report import Report, listed
from pipegen.graph.execution import ExecutionGraph
from pipegen.graph.nesting import nesting, nesting_handed_out
from pipegen.plan.model import Workspace
from pipegen.structs import Struct
from pipegen.targets.jenkins.named_jobs import ScriptedPlans

DEEPEST = 10
# The plain driver looks at all stages each time that one ends; it was measured with as many.
_MANY = 300
_TOLD_NAMES = 4


class Depth(Struct):
    """How deep blocks may get: *deepest* at most, where that must be seen to; 0 where it need not.

    *depth* is how deep they would get if nothing waited, and *later* are the stages that may have to wait.
    """

    deepest: int = 0
    depth: int = 0
    later: tuple[str, ...] = ()


def depth_of(work: ScriptedPlans, graph: ExecutionGraph) -> Depth:
    """Return how deep the blocks for *graph*, the stages of *work*, may get."""
    # Pipelines with starts of their own stand in a block of their own.
    deepest = DEEPEST - are_apart(work)
    is_small = len(graph.nodes) <= _MANY
    if is_small and _most(nesting(graph)) <= deepest:
        return Depth()
    reduced = graph.transitive_reduction()
    if is_small and _most(nesting(reduced)) <= deepest:
        return Depth()
    depths = nesting_handed_out(reduced)
    depth = _most(depths)
    later = tuple(stage for stage in graph.nodes if depths[stage] > deepest // 2) if depth > deepest else ()
    return Depth(deepest, depth + are_apart(work), later)


def are_apart(work: ScriptedPlans) -> bool:
    """Return whether each pipeline has a start of its own: for its one workspace, or its finally stages."""
    return len(work.plans) > 1 and bool(work.ends or work.with_workspace(Workspace.SHARED))


def report_depth(depth: Depth, work: ScriptedPlans, report: Report) -> None:
    """Tell of the stages that may start late since blocks do not get deeper."""
    if not depth.later:
        return
    first = next(one.job for one in work.named if one.name == depth.later[0])
    report.add(
        codes.DEEP_NESTING,
        f"{listed(depth.later, limit=_TOLD_NAMES)} may start late: runs in which many stages overlap can put "
        f"{depth.depth} parallel blocks into each other, and once there are {DEEPEST}, what is ready waits for "
        "some to end",
        at=first.span,
        label="may start later than it has to",
        hint="runs below that wait for nothing; a stage in the middle that all before it lead to lets all blocks end",
    )


def depth_notes(depth: Depth) -> tuple[str, ...]:
    """Return the lines about it for the top of the file."""
    if not depth.later:
        return ()
    return (f"Stages may start late in runs that put {DEEPEST} parallel blocks into each other.",)


def _most(depths: dict[str, int]) -> int:
    return max(depths.values(), default=0)
